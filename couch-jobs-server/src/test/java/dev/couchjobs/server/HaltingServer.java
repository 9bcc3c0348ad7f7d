package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import java.nio.file.Path;

/** A server that is killed by one of its own commits: before that is sent, or before its result is known. */
public final class HaltingServer {
    private HaltingServer() {}

    /**
     * Runs the server.
     *
     * @param args the directory, the port, the number of the commit, and whether it takes effect
     */
    public static void main(String[] args) throws InterruptedException {
        int fatal = Integer.parseInt(args[2]);
        boolean takesEffect = Boolean.parseBoolean(args[3]);
        Database database = HaltingPlan.open(Path.of(args[0]), fatal, takesEffect);
        CouchJobs jobs = CouchJobs.on(database);
        JobsServer.start(
                JobsHttp.on(jobs, database).authenticator(Authenticator.always(Access.of("test", Role.ADMIN))),
                ServerOptions.on("127.0.0.1", Integer.parseInt(args[1])));
        Thread.currentThread().join();
    }
}
