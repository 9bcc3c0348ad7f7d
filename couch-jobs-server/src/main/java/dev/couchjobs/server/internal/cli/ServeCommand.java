package dev.couchjobs.server.internal.cli;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.JobsHttp;
import dev.couchjobs.server.JobsServer;
import dev.couchjobs.server.Role;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Serves the jobs of a database until the process receives a signal. */
@Command(
        name = "couch-jobs-server",
        mixinStandardHelpOptions = true,
        description = "Serves the jobs of a database over HTTP, until it receives SIGTERM or SIGINT.",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:it has ended by a signal", "1:it could not start", "2:an argument is wrong"})
public final class ServeCommand implements Callable<Integer> {
    private static final String LOOPBACK = "127.0.0.1";

    @Spec
    private @Nullable CommandSpec spec;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private @Nullable Place place;

    @Option(names = "--port", paramLabel = "PORT", defaultValue = "7470", description = "Default: ${DEFAULT-VALUE}")
    private int port;

    /** Where the jobs are. */
    static final class Place {
        @Option(
                names = "--directory",
                paramLabel = "DIRECTORY",
                description = "Keeps the jobs in this directory, on the embedded engine. It is created if needed.")
        private @Nullable Path directory;

        @Option(
                names = "--cluster-file",
                paramLabel = "FILE",
                description = "Keeps the jobs in the FoundationDB cluster of this file. Needs its native client.")
        private @Nullable Path clusterFile;

        DatabaseLocation location() {
            if (directory != null) {
                return new DatabaseLocation.Directory(directory);
            }
            if (clusterFile != null) {
                return new DatabaseLocation.ClusterFile(clusterFile);
            }
            throw new IllegalStateException("picocli requires one of both.");
        }
    }

    /** {@return the exit status} */
    public static int run(String... arguments) {
        return new CommandLine(new ServeCommand()).execute(arguments);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (place == null || spec == null) {
            throw new IllegalStateException("picocli sets both.");
        }
        PrintWriter out = spec.commandLine().getOut();
        CountDownLatch signal = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        try (Database database = Databases.open(place.location());
                CouchJobs jobs = CouchJobs.on(database);
                JobsServer server = JobsServer.start(local(jobs, database), LOOPBACK, port)) {
            ServerThreads.atShutdown(() -> closeGracefully(signal, closed));
            out.println("couch-jobs listens on " + server.address() + " (the operations: " + server.address()
                    + "openapi.json)");
            signal.await();
        } finally {
            closed.countDown();
        }
        return 0;
    }

    /** Every caller on this machine may do everything: the server listens on the loopback only. */
    private static JobsHttp local(CouchJobs jobs, Database database) {
        return JobsHttp.on(jobs, database).authenticator(Authenticator.always(Access.of("local", Role.ADMIN)));
    }

    private static void closeGracefully(CountDownLatch signal, CountDownLatch closed) {
        signal.countDown();
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
