package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobsClosedException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The workers of one instance that have not ended. */
public final class WorkerRegistry implements AutoCloseable {
    @GuardedBy("this") private final Set<JobPool> pools = new HashSet<>();

    @GuardedBy("this") private boolean closed;

    /** Takes one in until it ends. */
    public synchronized void add(JobPool pool) {
        if (closed) {
            throw new CouchJobsClosedException();
        }
        pools.add(pool);
        pool.whenEnded(() -> remove(pool));
    }

    private synchronized void remove(JobPool pool) {
        pools.remove(pool);
    }

    /** Ends all of them, without waiting for what they run. */
    @Override
    public void close() {
        List<JobPool> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(pools);
        }
        left.forEach(JobPool::stop);
    }
}
