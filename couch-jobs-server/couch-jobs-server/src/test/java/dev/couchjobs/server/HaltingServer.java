package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import java.net.URI;
import java.nio.file.Path;

/** A server that is killed by one of its own commits: before that is sent, or before its result is known. */
public final class HaltingServer implements AutoCloseable {
    private final Database database;
    private final CouchJobs jobs;
    private final JobsServer server;

    /** Starts a server within this process. */
    public HaltingServer(Path directory, int port, HaltingPlan plan) {
        database = plan.open(directory);
        jobs = CouchJobs.on(database);
        server = JobsServer.start(
                JobsHttp.on(jobs, database).authenticator(Authenticator.always(Access.of("test", Role.ADMIN))),
                ServerOptions.on("127.0.0.1", port));
    }

    /**
     * Runs a server as this process.
     *
     * @param args the directory, the port, the number of the commit, and whether it takes effect
     */
    public static void main(String[] args) throws InterruptedException {
        HaltingPlan plan = HaltingPlan.ofProcess(Integer.parseInt(args[2]), Boolean.parseBoolean(args[3]));
        var unused = new HaltingServer(Path.of(args[0]), Integer.parseInt(args[1]), plan);
        Thread.currentThread().join();
    }

    URI address() {
        return server.address();
    }

    @Override
    public void close() {
        server.close();
        jobs.close();
        database.close();
    }
}
