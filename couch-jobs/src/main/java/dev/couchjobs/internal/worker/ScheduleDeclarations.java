package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.schedules.ScheduleRequest;
import dev.couchjobs.internal.verbs.ScheduleVerbs;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Puts the schedules that a worker declares, some at a time, each again until that succeeds. */
public final class ScheduleDeclarations implements AutoCloseable {
    private static final int TOGETHER_MAX = 20;

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
        List<ScheduleRequest> next = new ArrayList<>();
        synchronized (this) {
            while (next.size() < TOGETHER_MAX && !missing.isEmpty()) {
                next.add(missing.remove());
            }
        }
        if (next.isEmpty()) {
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        return CompletableFuture.allOf(next.stream().map(this::put).toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> Pause.none());
    }

    private CompletableFuture<?> put(ScheduleRequest request) {
        return CompletableFuture.completedFuture(request)
                .thenCompose(ready -> verbs.put(database, ready)) // bad data throws
                .whenComplete((done, error) -> {
                    if (error != null) {
                        putLater(request); // others come first
                    }
                });
    }

    private synchronized void putLater(ScheduleRequest request) {
        missing.add(request);
    }

    @Override
    public void close() {
        loop.close();
    }
}
