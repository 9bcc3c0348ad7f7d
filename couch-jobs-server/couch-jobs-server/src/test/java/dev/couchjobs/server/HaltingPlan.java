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
 * Kills a program at one of its commits. Either its process ends, or, for a program within the process of a test,
 * nothing that it does from then on reaches the database.
 */
public final class HaltingPlan implements FaultPlan {
    /** The exit status of a process that was killed. */
    public static final int KILLED = 137;

    private static final InjectedFault GONE =
            new InjectedFault("killed", false, () -> new IllegalStateException("The program was killed."));

    private final int fatal;
    private final boolean takesEffect;
    private final Runnable end;
    private final AtomicInteger writes = new AtomicInteger();
    private final CompletableFuture<Boolean> death = new CompletableFuture<>();

    private HaltingPlan(int fatal, boolean takesEffect, Runnable end) {
        this.fatal = fatal;
        this.takesEffect = takesEffect;
        this.end = end;
    }

    /**
     * {@return a plan that kills this process}
     *
     * @param fatal the number of the commit
     * @param takesEffect whether it is killed when that has taken effect, or before it is sent
     */
    public static HaltingPlan ofProcess(int fatal, boolean takesEffect) {
        return new HaltingPlan(fatal, takesEffect, () -> Runtime.getRuntime().halt(KILLED));
    }

    /** {@return a plan that takes the database away from a program that this process goes on without} */
    public static HaltingPlan within(int fatal, boolean takesEffect) {
        return new HaltingPlan(fatal, takesEffect, () -> {});
    }

    /** {@return a directory's database, for the program that is killed} */
    public Database open(Path directory) {
        return new FaultyDatabase(EmbeddedDatabase.open(directory), this);
    }

    /** {@return completes when the program is killed, before any of it knows} */
    public CompletableFuture<Boolean> death() {
        return death;
    }

    public boolean isDead() {
        return death.isDone();
    }

    private void die() {
        end.run();
        death.complete(true);
    }

    /** Of a watch, it says how that ends with the program: see {@link #before}. */
    @Override
    public @Nullable InjectedFault injectedFault(FaultPoint point) {
        return isDead() || point.kind() == FaultPoint.Kind.WATCH ? GONE : null;
    }

    @Override
    public CompletableFuture<?> before(FaultPoint point) {
        if (point.kind() == FaultPoint.Kind.WATCH) {
            return death;
        }
        if (point.writes() && writes.incrementAndGet() == fatal && !takesEffect) {
            die();
        }
        return goesOn(point);
    }

    @Override
    public CompletableFuture<?> after(FaultPoint point, @Nullable InjectedFault fault) {
        if (point.kind() != FaultPoint.Kind.COMMIT) {
            return CompletableFuture.completedFuture(point);
        }
        if (point.writes() && writes.get() >= fatal && takesEffect) {
            die();
        }
        return goesOn(point);
    }

    private CompletableFuture<?> goesOn(FaultPoint commit) {
        return isDead()
                ? CompletableFuture.failedFuture(new IllegalStateException("The program was killed."))
                : CompletableFuture.completedFuture(commit);
    }
}
