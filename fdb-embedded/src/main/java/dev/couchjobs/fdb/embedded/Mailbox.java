package dev.couchjobs.fdb.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;
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

    /** A batch is complete once its messages weigh {@code most} together. */
    record Limit<T>(ToLongFunction<T> weight, long most) {}

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    /** Whether a batch is being handled, or about to be. */
    private final AtomicBoolean occupied = new AtomicBoolean();

    private final Executor executor;
    private final Limit<T> limit;
    private final Handler<T> handler;
    private final Runnable afterBatch;

    Mailbox(Executor executor, Limit<T> limit, Handler<T> handler) {
        this(executor, limit, handler, () -> {});
    }

    /** {@code afterBatch} runs on the thread that has handled a batch, when another may already handle the next one. */
    Mailbox(Executor executor, Limit<T> limit, Handler<T> handler, Runnable afterBatch) {
        this.executor = executor;
        this.limit = limit;
        this.handler = handler;
        this.afterBatch = afterBatch;
    }

    void post(T message) {
        queue.add(message);
        wake();
    }

    /** Leaves a message for whoever is going to {@link #wake} the actor or to {@link #help} it. */
    void leave(T message) {
        queue.add(message);
    }

    /** Has what was left handled on the executor. */
    void wake() {
        if (queue.isEmpty() || !occupied.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::handleBatch);
        } catch (RejectedExecutionException stopped) {
            // Whoever posts after the executor has stopped still gets an answer, on the thread that asked.
            handleBatch();
        } catch (RuntimeException | Error noThread) {
            // The next one to come finds what was left.
            occupied.set(false);
            throw noThread;
        }
    }

    /**
     * Handles a batch on the calling thread, unless another one is at it and will find what was left. Spares a thread
     * that would only wait for the answer the way to another one and back.
     */
    void help() {
        if (!queue.isEmpty() && occupied.compareAndSet(false, true)) {
            handleBatch();
        }
    }

    private void handleBatch() {
        handleOne();
        wake();
    }

    /** Comes with the mailbox occupied, and leaves it free unless the batch is unfinished. */
    private void handleOne() {
        CompletableFuture<?> unfinished;
        try {
            List<T> batch = nextBatch();
            unfinished = batch.isEmpty() ? null : handler.handle(batch);
        } catch (RuntimeException | Error e) {
            occupied.set(false);
            wake();
            throw e;
        }
        if (unfinished == null) {
            occupied.set(false);
        } else {
            Completions.whenSettled(unfinished, error -> {
                occupied.set(false);
                wake();
            });
        }
        afterBatch.run();
    }

    private List<T> nextBatch() {
        List<T> batch = new ArrayList<>();
        long weight = 0;
        while (weight < limit.most) {
            T message = queue.poll();
            if (message == null) {
                break;
            }
            batch.add(message);
            weight += limit.weight.applyAsLong(message);
        }
        return batch;
    }
}
