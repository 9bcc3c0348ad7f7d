package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.simulation.FaultPlan;
import dev.couchjobs.fdb.simulation.FaultPoint;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import dev.couchjobs.fdb.simulation.InjectedFault;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Kills this process at one of its commits.
 *
 * @param fatal the number of the commit
 * @param takesEffect whether it is killed when that has taken effect, or before it is sent
 * @param writes counts the commits
 */
public record HaltingPlan(int fatal, boolean takesEffect, AtomicInteger writes) implements FaultPlan {
    /** The exit status of a process that was killed. */
    public static final int KILLED = 137;

    /** {@return the database of a directory, by a way that kills this process} */
    public static Database open(Path directory, int fatal, boolean takesEffect) {
        return new FaultyDatabase(EmbeddedDatabase.open(directory), new HaltingPlan(fatal, takesEffect));
    }

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
