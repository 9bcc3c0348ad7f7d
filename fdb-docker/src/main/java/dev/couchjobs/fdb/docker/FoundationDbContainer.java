package dev.couchjobs.fdb.docker;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDB;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * A FoundationDB of one process in a container, made again for each start and gone with it.
 *
 * <pre>{@code
 * try (FoundationDbContainer foundationDb = new FoundationDbContainer()) {
 *     foundationDb.start();
 *     try (Database database = foundationDb.open()) {
 *         database.run(tx -> {
 *             tx.set(key, value);
 *             return null;
 *         });
 *     }
 * }
 * }</pre>
 *
 * <p>{@link #start()} returns when the database is available. Options of {@code fdbserver} can be given with
 * {@link #withCommand(String...)}.
 *
 * <p><b>The native client.</b> On Linux, x86-64 and aarch64, nothing has to be installed: the first start copies
 * {@code libfdb_c.so} out of the image into {@code $XDG_CACHE_HOME/couch-jobs/foundationdb} ({@code ~/.cache} if that
 * is not set) and names it in the system property {@code FDB_LIBRARY_PATH_FDB_C}, unless that is set already. Class
 * {@link FDB} reads the property when it is loaded, so start a container before anything touches it; processes that are
 * started from this one need the property, too. On macOS install FoundationDB's client package; there is no fdb-java
 * for Windows, where WSL serves.
 *
 * <p><b>Ports.</b> A client reads from the cluster file where a coordinator is, and asks that one for the addresses of
 * the servers. Those are the ones that servers announce, and they do not know what Docker makes of them. Hence a port
 * cannot be mapped to whatever is free: server, container and host have to use the same number, and it has to be known
 * before the server starts. This class chooses one that is free on this machine for each attempt to start, and tries
 * three times, as another process may take it in between. With Docker on this machine it can be reached from here only.
 *
 * <p>Not thread-safe.
 */
public final class FoundationDbContainer extends GenericContainer<FoundationDbContainer> {
    /** FoundationDB's own image, in the version that couch-jobs is tested with. */
    public static final String IMAGE = "foundationdb/foundationdb:7.3.69";

    static final List<String> SCRIPTS = List.of("fdb-node", "fdb-configure", "fdb-healthy");

    private static final String EXECUTABLES = "/usr/local/bin/";
    private static final String CLIENT = "/usr/lib/" + NativeClient.FILE;
    private static final int EXECUTABLE = 0755;
    private static final int API_VERSION = 730;
    private static final int ATTEMPTS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private @Nullable PublicAddress address;
    private @Nullable Path clusterFile;

    /** Of the image {@link #IMAGE}. */
    public FoundationDbContainer() {
        this(DockerImageName.parse(IMAGE));
    }

    /**
     * Of another image.
     *
     * @param image {@code foundationdb/foundationdb} in another version, or one that is declared to be a substitute for
     *     it
     */
    public FoundationDbContainer(DockerImageName image) {
        super(image);
        image.assertCompatibleWith(DockerImageName.parse("foundationdb/foundationdb"));
        SCRIPTS.forEach(
                script -> withCopyToContainer(Transferable.of(resource(script), EXECUTABLE), EXECUTABLES + script));
        withEnv("FDB_DIRECTORY", "/var/fdb/data");
        withEnv("FDB_CONFIGURATION", "single memory");
        withEnv("FDB_MACHINE", "container");
        withCreateContainerCmdModifier(command -> publish(command, PublicAddress.choose(getHost())));
        withStartupAttempts(ATTEMPTS);
        waitingFor(Wait.forSuccessfulCommand("fdb-healthy").withStartupTimeout(PATIENCE));
    }

    /** Makes the server listen, announce itself and be published at an address. */
    void publish(CreateContainerCmd command, PublicAddress chosen) {
        address = chosen;
        HostConfig host = Objects.requireNonNullElseGet(command.getHostConfig(), HostConfig::new);
        command.withHostConfig(host.withPortBindings(PortBinding.parse(chosen.publication())))
                .withExposedPorts(ExposedPort.tcp(chosen.port()))
                .withEnv(Stream.concat(
                                Stream.of(Objects.requireNonNullElse(command.getEnv(), new String[0])),
                                Stream.of(
                                        "FDB_PUBLIC_IP=" + chosen.ip(),
                                        "FDB_PORT=" + chosen.port(),
                                        "FDB_CLUSTER_FILE_CONTENTS=" + chosen.clusterFile()))
                        .toList())
                .withEntrypoint("/usr/bin/tini", "-g", "--", "fdb-node");
    }

    /**
     * {@return a cluster file for this machine, of use until the container stops}
     *
     * @throws IllegalStateException if the container does not run
     */
    public Path clusterFile() {
        if (clusterFile == null) {
            throw new IllegalStateException("There is no cluster before start() and after stop()");
        }
        return clusterFile;
    }

    /**
     * Opens the database, with API version 730. The caller closes it before the container is stopped.
     *
     * @return the database
     * @throws IllegalStateException if the container does not run
     * @throws UnsatisfiedLinkError if this machine lacks the native client
     */
    public Database open() {
        return FDB.selectAPIVersion(API_VERSION).open(clusterFile().toString());
    }

    @Override
    protected void containerIsStarted(InspectContainerResponse started) {
        try {
            provideClient(started.getImageId());
            clusterFile = write(Objects.requireNonNull(address).clusterFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected void containerIsStopped(InspectContainerResponse stopped) {
        clusterFile = null;
    }

    /** Into a directory of its own: a client replaces the file when coordinators change. */
    private static Path write(String line) throws IOException {
        Path directory = Files.createTempDirectory("fdb-docker");
        directory.toFile().deleteOnExit();
        Path file = Files.writeString(directory.resolve("fdb.cluster"), line + "\n");
        file.toFile().deleteOnExit();
        return file;
    }

    /** Copies from every image once: its digest names the directory. */
    private void provideClient(String imageId) throws IOException {
        String architecture = System.getProperty("os.arch");
        if (System.getProperty(NativeClient.PROPERTY) != null
                || !NativeClient.comesFromImages(System.getProperty("os.name"), architecture)) {
            return;
        }
        Path library = NativeClient.keep(
                NativeClient.cache(System.getenv(), Path.of(System.getProperty("user.home")))
                        .resolve(imageId.replace(':', '-')),
                architecture,
                file -> copyFileFromContainer(CLIENT, in -> Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING)));
        System.setProperty(NativeClient.PROPERTY, library.toString());
    }

    private static byte[] resource(String script) {
        try (InputStream in = FoundationDbContainer.class.getResourceAsStream(script)) {
            return Objects.requireNonNull(in, script).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
