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
 * An actor's message queue. Any thread may post. The handler receives the messages in order, in batches, one batch at a
 * time, on an executor that is occupied only while messages wait.
 */
final class Mailbox<T> {
    /** Handles the messages of a mailbox. */
    interface Handler<T> {
        /**
         * Handles a batch. If this throws, or the future fails, the mailbox passes the same list again, on a thread of
         * the executor: the stack of a caller of {@link #runPending} may be exhausted.
         *
         * @return completes before the next batch may begin; null if the batch is handled
         */
        @Nullable CompletableFuture<?> handle(List<T> batch);
    }

    /** A batch is full once the weights of its messages add up to {@code max}. */
    record Limit<T>(ToLongFunction<T> weight, long max) {}

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    /** Whether a thread handles a batch or is about to. */
    private final AtomicBoolean occupied = new AtomicBoolean();

    private final Executor executor;
    private final Limit<T> limit;
    private final Handler<T> handler;
    private final Runnable afterBatch;
    /** Taken from the queue and not yet handled. Belongs to the thread that occupies the mailbox. */
    private volatile List<T> batch = new ArrayList<>();
    /** Whether the handler has received the batch before. Belongs to the thread that occupies the mailbox. */
    private boolean delivered;

    Mailbox(Executor executor, Limit<T> limit, Handler<T> handler) {
        this(executor, limit, handler, () -> {});
    }

    /**
     * {@code afterBatch} runs on the thread that has handled a batch; another thread may already handle the next one.
     */
    Mailbox(Executor executor, Limit<T> limit, Handler<T> handler, Runnable afterBatch) {
        this.executor = executor;
        this.limit = limit;
        this.handler = handler;
        this.afterBatch = afterBatch;
    }

    /** Adds a message and schedules the handler. */
    void post(T message) {
        queue.add(message);
        wake();
    }

    /** Adds a message only. The caller has to call {@link #wake} or {@link #runPending} next. */
    void enqueue(T message) {
        queue.add(message);
    }

    /**
     * Handles pending messages on the executor, or on the calling thread if the executor rejects the task: every
     * message gets an answer.
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
     * Handles a batch on the calling thread, unless another thread handles one: that thread finds the pending messages.
     * Saves a caller that only waits for the answer two thread switches.
     */
    void runPending() {
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

    /** The caller has occupied the mailbox. Frees it again unless the batch is unfinished. */
    private void handleOne() {
        CompletableFuture<?> unfinished;
        try {
            // Allocated first: nothing may fail between the handling of the batch and its removal.
            List<T> next = new ArrayList<>();
            if (!delivered) {
                fillBatch();
            }
            delivered = true;
            unfinished = batch.isEmpty() ? null : handler.handle(batch);
            if (unfinished == null) {
                replaceBatch(next);
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
                    replaceBatch(new ArrayList<>());
                }
                free();
            });
        }
        afterBatch.run();
    }

    private void replaceBatch(List<T> next) {
        batch = next;
        delivered = false;
    }

    private void free() {
        occupied.set(false);
        wake();
    }

    /** May fail at any point and be repeated: a message is in the batch before it leaves the queue. */
    private void fillBatch() {
        if (!batch.isEmpty() && queue.peek() == batch.get(batch.size() - 1)) {
            queue.remove();
        }
        long weight = 0;
        for (T message : batch) {
            weight += limit.weight.applyAsLong(message);
        }
        while (weight < limit.max) {
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
