package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.schedules.ScheduleRequest;
import dev.couchjobs.internal.verbs.ScheduleVerbs;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** Puts the schedules that a worker declares, one after the other, each again until that succeeds. */
public final class ScheduleDeclarations implements AutoCloseable {
    private final Database database;
    private final ScheduleVerbs verbs;
    private final Loop loop;

    @GuardedBy("this") private final Deque<ScheduleRequest> missing;

    public ScheduleDeclarations(Instance instance, Collection<ScheduleRequest> declared) {
        this.database = instance.database();
        this.verbs = new ScheduleVerbs(instance);
        this.missing = new ArrayDeque<>(declared);
        this.loop = new Loop("schedules of a worker", instance.environment(), this::putNext);
    }

    /** Begins. */
    public void put() {
        loop.wakeUp();
    }

    private CompletableFuture<Pause> putNext() {
        ScheduleRequest next;
        synchronized (this) {
            next = missing.peek();
        }
        return next == null
                ? CompletableFuture.completedFuture(Pause.untilWakeUp())
                : verbs.put(database, next).thenApply(done -> {
                    synchronized (this) {
                        missing.remove();
                    }
                    return Pause.none();
                });
    }

    @Override
    public void close() {
        loop.close();
    }
}
