package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.DirectoryFiles;
import dev.couchjobs.fdb.DatabaseLocation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where the database of a soak is: in a directory, on a cluster that the soak starts, or on the one that the
 * environment names. Closing it deletes what it has made.
 */
final class SoakPlace implements AutoCloseable {
    private static final int DIRECTORY_MEBIBYTES = 1_024;
    private static final int CLUSTER_MEBIBYTES = 4_096;

    private final Path directory;
    private final Optional<LimitedDisk> disk;
    private final Optional<SoakCluster> cluster;
    private final String location;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private SoakPlace(Path directory, Optional<LimitedDisk> disk, Optional<SoakCluster> cluster, String location) {
        this.directory = directory;
        this.disk = disk;
        this.cluster = cluster;
        this.location = location;
        Runtime.getRuntime().addShutdownHook(new Thread(this::closeAtExit));
    }

    static SoakPlace open(SoakSettings settings) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(settings.directory, "soak-").toAbsolutePath();
        if (settings.fdbserver.isPresent()) {
            Optional<LimitedDisk> disk = disk(directory, CLUSTER_MEBIBYTES);
            SoakCluster cluster = SoakCluster.start(settings.fdbserver.get(), directory);
            return new SoakPlace(
                    directory, disk, Optional.of(cluster), cluster.file().toString());
        }
        if (DatabaseLocation.ofEnvironment() instanceof DatabaseLocation.ClusterFile file) {
            return new SoakPlace(
                    directory,
                    Optional.empty(),
                    Optional.empty(),
                    file.path().toAbsolutePath().toString());
        }
        return new SoakPlace(
                directory,
                disk(directory, DIRECTORY_MEBIBYTES),
                Optional.empty(),
                directory.resolve("database").toString());
    }

    private static Optional<LimitedDisk> disk(Path directory, int mebibytes) {
        if (!LimitedDisk.isPossible()) {
            System.err.println("The disk does not become full: that needs root on Linux");
            return Optional.empty();
        }
        try {
            return Optional.of(LimitedDisk.mount(directory, mebibytes));
        } catch (IOException e) {
            System.err.println("The disk does not become full: " + e.getMessage());
            return Optional.empty();
        }
    }

    String location() {
        return location;
    }

    boolean isDirectory() {
        return location.startsWith(directory.toString()) && cluster.isEmpty();
    }

    /** A directory is one process's; on a cluster another server goes on while one starts again. */
    int servers() {
        return isDirectory() ? 1 : 2;
    }

    Optional<LimitedDisk> disk() {
        return disk;
    }

    Optional<SoakCluster> cluster() {
        return cluster;
    }

    Set<Fault> faults() {
        Set<Fault> faults = EnumSet.allOf(Fault.class);
        if (disk.isEmpty()) {
            faults.remove(Fault.DISK);
        }
        if (cluster.isEmpty()) {
            faults.remove(Fault.CLUSTER);
        }
        return faults;
    }

    String describe() {
        String kind = isDirectory()
                ? "embedded in a directory"
                : cluster.isPresent() ? "a cluster of three processes, two replicas" : "a cluster of the environment";
        return kind + (disk.isPresent() ? ", on a file system in memory" : "");
    }

    private void closeAtExit() {
        try {
            close();
        } catch (IOException e) {
            System.err.println(directory + " remains: " + e);
        }
    }

    @Override
    public void close() throws IOException {
        if (isClosed.getAndSet(true)) {
            return;
        }
        cluster.ifPresent(SoakCluster::close);
        if (disk.isPresent()) {
            disk.get().close();
        }
        DirectoryFiles.delete(directory);
    }
}
