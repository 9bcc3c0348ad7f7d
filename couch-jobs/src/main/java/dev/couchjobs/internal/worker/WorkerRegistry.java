package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobsClosedException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The workers of one instance that have not ended. */
public final class WorkerRegistry {
    @GuardedBy("this") private final Set<WorkerLifecycle> lifecycles = new HashSet<>();

    @GuardedBy("this") private boolean closed;

    /** Adds a worker, and removes it when it has ended. */
    public synchronized void add(WorkerLifecycle lifecycle) {
        if (closed) {
            throw new CouchJobsClosedException();
        }
        lifecycles.add(lifecycle);
        lifecycle.whenEnded(() -> remove(lifecycle));
    }

    private synchronized void remove(WorkerLifecycle lifecycle) {
        lifecycles.remove(lifecycle);
    }

    /** Ends all workers without waiting for their handlers. {@return completes when they have ended} */
    public CompletableFuture<?> end() {
        List<WorkerLifecycle> open;
        synchronized (this) {
            closed = true;
            open = List.copyOf(lifecycles);
        }
        open.forEach(WorkerLifecycle::stop);
        return CompletableFuture.allOf(open.stream().map(WorkerLifecycle::ended).toArray(CompletableFuture<?>[]::new));
    }
}
