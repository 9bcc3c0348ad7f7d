package dev.couchjobs.fdb.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An actor's inbox: whatever is posted from any thread is handled in order, in batches, one batch at a time, on an
 * executor that is only occupied while there is something to do.
 */
final class Mailbox<T> {
    /** What an actor does. */
    interface Handler<T> {
        /** {@return what has to be done before the next batch may come, or null if this one is done with} */
        @Nullable CompletableFuture<?> handle(List<T> batch);
    }

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Executor executor;
    private final int batchLimit;
    private final Handler<T> handler;
    private final Runnable afterBatch;

    Mailbox(Executor executor, int batchLimit, Handler<T> handler) {
        this(executor, batchLimit, handler, () -> {});
    }

    /** {@code afterBatch} runs on the thread that has handled a batch, when another may already handle the next one. */
    Mailbox(Executor executor, int batchLimit, Handler<T> handler, Runnable afterBatch) {
        this.executor = executor;
        this.batchLimit = batchLimit;
        this.handler = handler;
        this.afterBatch = afterBatch;
    }

    void post(T message) {
        queue.add(message);
        schedule();
    }

    /** Leaves a message for a thread that is going to {@link #help}, as one may that would otherwise only wait. */
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
        CompletableFuture<?> unfinished = null;
        try {
            List<T> batch = nextBatch();
            unfinished = batch.isEmpty() ? null : handler.handle(batch);
        } finally {
            if (unfinished == null) {
                release();
            } else {
                Completions.whenSettled(unfinished, error -> release());
            }
        }
    }

    private void release() {
        scheduled.set(false);
        if (!queue.isEmpty()) {
            schedule();
        }
        afterBatch.run();
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
