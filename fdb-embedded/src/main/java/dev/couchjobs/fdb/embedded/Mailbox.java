package dev.couchjobs.fdb.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * An actor's inbox: whatever is posted from any thread is handled in order, in batches, never by two threads at once, on
 * an executor that is only occupied while there is something to do.
 */
final class Mailbox<T> {
    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Executor executor;
    private final int batchLimit;
    private final Consumer<List<T>> handler;

    Mailbox(Executor executor, int batchLimit, Consumer<List<T>> handler) {
        this.executor = executor;
        this.batchLimit = batchLimit;
        this.handler = handler;
    }

    void post(T message) {
        queue.add(message);
        schedule();
    }

    /** Leaves a message for a thread that is going to wait for the answer, and so may as well {@link #help}. */
    void leave(T message) {
        queue.add(message);
    }

    /** Handles a batch on the calling thread, unless another one is at it and will find what was left. */
    void help() {
        if (!queue.isEmpty() && scheduled.compareAndSet(false, true)) {
            drain();
        }
    }

    private void schedule() {
        if (!scheduled.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::drain);
        } catch (RejectedExecutionException stopped) {
            // Whoever posts after the executor has stopped still gets an answer, on the thread that asked.
            drain();
        }
    }

    private void drain() {
        try {
            List<T> batch = nextBatch();
            if (!batch.isEmpty()) {
                handler.accept(batch);
            }
        } finally {
            scheduled.set(false);
            if (!queue.isEmpty()) {
                schedule();
            }
        }
    }

    private List<T> nextBatch() {
        List<T> batch = new ArrayList<>();
        while (batch.size() < batchLimit) {
            T message = queue.poll();
            if (message == null) {
                break;
            }
            batch.add(message);
        }
        return batch;
    }
}
