package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.common.Completions;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
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
        /**
         * Handles a batch. If this throws, or the future fails, the same list comes again, on a thread of the
         * executor: that has a stack of its own, where a thread that helps may have run out of it.
         *
         * @return what has to be done before the next batch may come, or null if this one is done with
         */
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
    /** Taken from the queue and not done with. Belongs to the thread that occupies the mailbox. */
    private volatile List<T> batch = new ArrayList<>();
    /** Whether the handler has had the batch before. Likewise. */
    private boolean handed;

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

    /** Leaves a message for the thread that is going to {@link #wake} the actor or to {@link #help} it. */
    void leave(T message) {
        queue.add(message);
    }

    /**
     * Has what was left handled on the executor, or here if the executor takes nothing: every message gets an answer.
     */
    void wake() {
        while (hasWork() && occupied.compareAndSet(false, true)) {
            try {
                executor.execute(this::handleBatch);
                return;
            } catch (RuntimeException | Error stoppedOrNoThread) {
                handleOne();
            }
        }
    }

    /**
     * Handles a batch on the calling thread, unless another one is at it and will find what was left. Spares a thread
     * that would only wait for the answer the way to another one and back.
     */
    void help() {
        if (hasWork() && occupied.compareAndSet(false, true)) {
            handleBatch();
        }
    }

    private boolean hasWork() {
        return !batch.isEmpty() || !queue.isEmpty();
    }

    private void handleBatch() {
        handleOne();
        wake();
    }

    /** Comes with the mailbox occupied, and leaves it free unless the batch is unfinished. */
    private void handleOne() {
        CompletableFuture<?> unfinished;
        try {
            // Comes first: once the batch is handled, nothing may fail before it is let go.
            List<T> next = new ArrayList<>();
            if (!handed) {
                fillBatch();
            }
            handed = true;
            unfinished = batch.isEmpty() ? null : handler.handle(batch);
            if (unfinished == null) {
                doneWith(next);
            }
        } catch (RuntimeException | Error e) {
            free();
            throw e;
        }
        if (unfinished == null) {
            occupied.set(false);
        } else {
            Completions.whenSettled(unfinished, error -> {
                if (error == null) {
                    doneWith(new ArrayList<>());
                }
                free();
            });
        }
        afterBatch.run();
    }

    private void doneWith(List<T> next) {
        batch = next;
        handed = false;
    }

    private void free() {
        occupied.set(false);
        wake();
    }

    /** Can be broken off at any point and be repeated: a message is in the batch before it leaves the queue. */
    private void fillBatch() {
        if (!batch.isEmpty() && queue.peek() == batch.get(batch.size() - 1)) {
            queue.remove();
        }
        long weight = 0;
        for (T message : batch) {
            weight += limit.weight.applyAsLong(message);
        }
        while (weight < limit.most) {
            T message = queue.peek();
            if (message == null) {
                break;
            }
            weight += limit.weight.applyAsLong(message);
            batch.add(message);
            queue.remove();
        }
    }
}
