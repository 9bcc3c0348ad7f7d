package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.simulation.FaultPlan;
import dev.couchjobs.fdb.simulation.FaultPoint;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import dev.couchjobs.fdb.simulation.InjectedFault;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A server that is killed by one of its own commits: before that is sent, or before its result is known. */
public final class HaltingServer {
    static final int KILLED = 137;

    private HaltingServer() {}

    /**
     * Runs the server.
     *
     * @param args the directory, the port, the number of the commit, and whether it takes effect
     */
    public static void main(String[] args) throws InterruptedException {
        int fatal = Integer.parseInt(args[2]);
        boolean takesEffect = Boolean.parseBoolean(args[3]);
        Database database =
                new FaultyDatabase(EmbeddedDatabase.open(Path.of(args[0])), new HaltingPlan(fatal, takesEffect));
        CouchJobs jobs = CouchJobs.on(database);
        JobsServer.start(
                JobsHttp.on(jobs, database).authenticator(Authenticator.always(Access.of("test", Role.ADMIN))),
                ServerOptions.on("127.0.0.1", Integer.parseInt(args[1])));
        Thread.currentThread().join();
    }

    private record HaltingPlan(int fatal, boolean takesEffect, AtomicInteger writes) implements FaultPlan {
        HaltingPlan(int fatal, boolean takesEffect) {
            this(fatal, takesEffect, new AtomicInteger());
        }

        @Override
        public @Nullable InjectedFault injectedFault(FaultPoint point) {
            return null;
        }

        @Override
        public CompletableFuture<?> before(FaultPoint point) {
            if (isWrite(point) && writes.incrementAndGet() == fatal && !takesEffect) {
                Runtime.getRuntime().halt(KILLED);
            }
            return CompletableFuture.completedFuture(point);
        }

        @Override
        public CompletableFuture<?> after(FaultPoint point, @Nullable InjectedFault fault) {
            if (isWrite(point) && writes.get() >= fatal && takesEffect) {
                Runtime.getRuntime().halt(KILLED);
            }
            return CompletableFuture.completedFuture(point);
        }

        private static boolean isWrite(FaultPoint point) {
            return point.kind() == FaultPoint.Kind.COMMIT && point.writes();
        }
    }
}
