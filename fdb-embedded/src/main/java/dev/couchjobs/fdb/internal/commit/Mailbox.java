package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.common.Completions;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An actor's message queue. Any thread may post. The handler receives the messages in order, in batches, one batch at a
 * time, on an executor that is occupied only while messages wait.
 *
 * <p>A handler that fails is never called again: repetition mends nothing. From then on {@link Handler#reject} answers
 * the messages. A batch that cannot be rejected either is tried again a limited number of times, with growing pauses,
 * because a thread may be short of stack and a heap may be full for a moment; then it is dropped.
 */
final class Mailbox<T> {
    /** Tries of one batch that follow one another without a pause. */
    private static final int TRIES_AT_ONCE = 3;
    /** With the pauses between them these last for more than a second. */
    private static final int TRIES_MAX = 10;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Handles the messages of a mailbox. */
    interface Handler<T> {
        /**
         * Handles a batch.
         *
         * @return completes before the next batch may begin; null if the batch is handled
         */
        @Nullable CompletableFuture<?> handle(List<T> batch);

        /**
         * Answers a batch after the handler has failed. It may get the same batch more than once.
         *
         * @param isHalfHandled whether it is the batch with which the handler has failed
         * @param cause with what it has failed
         */
        void reject(List<T> batch, boolean isHalfHandled, Throwable cause);
    }

    /** A batch is full once the weights of its messages add up to {@code max}. */
    record Limit<T>(ToLongFunction<T> weight, long max) {}

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    /** Whether a thread handles a batch or is about to. */
    private final AtomicBoolean occupied = new AtomicBoolean();

    private final Executor executor;
    private final LongFunction<? extends CompletableFuture<?>> delay;
    private final Limit<T> limit;
    private final Handler<T> handler;
    private final Runnable afterBatch;
    /** Of the batch that the handler has not handled at once. */
    private volatile @Nullable CompletableFuture<?> unfinished;
    /** The next batch, allocated ahead so that the end of this one needs no memory. */
    private List<T> next = new ArrayList<>();
    /** Taken from the queue and not yet handled. Belongs to the thread that occupies the mailbox. */
    private volatile List<T> batch = new ArrayList<>();
    /** Whether the handler has received the batch before. Belongs to the thread that occupies the mailbox. */
    private boolean delivered;
    /** The failed tries of the batch. Belongs to the thread that occupies the mailbox. */
    private int tries;
    /** The batch with which the handler has failed. Belongs to the thread that occupies the mailbox. */
    private @Nullable List<T> halfHandled;
    /** With what the handler has failed. */
    private volatile @Nullable Throwable failure;

    /** {@code delay} completes after the given number of nanoseconds, or fails. */
    Mailbox(Executor executor, LongFunction<? extends CompletableFuture<?>> delay, Limit<T> limit, Handler<T> handler) {
        this(executor, delay, limit, handler, () -> {});
    }

    /**
     * {@code afterBatch} runs on the thread that has handled a batch; another thread may already handle the next one.
     */
    Mailbox(
            Executor executor,
            LongFunction<? extends CompletableFuture<?>> delay,
            Limit<T> limit,
            Handler<T> handler,
            Runnable afterBatch) {
        this.executor = executor;
        this.delay = delay;
        this.limit = limit;
        this.handler = handler;
        this.afterBatch = afterBatch;
    }

    /** {@return with what the handler has failed, or null if it has not} */
    @Nullable Throwable failure() {
        return failure;
    }

    /**
     * Ends the handler as if it had failed. A batch that it has not finished is rejected without waiting for its
     * future: what should complete that may be broken, too.
     */
    void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        CompletableFuture<?> waitedFor = unfinished;
        if (waitedFor != null) {
            waitedFor.completeExceptionally(cause);
        }
        wake();
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
                executor.execute(this::handleOnExecutor);
                return;
            } catch (RuntimeException | Error stoppedOrNoThread) {
                handleOne();
            }
        }
    }

    /**
     * Handles a batch on the calling thread, unless another thread handles one: that thread finds the pending messages.
     * Saves a caller that only waits for the answer two thread switches. An error of the handler is the caller's, too:
     * its stack may be exhausted.
     */
    void runPending() {
        if (hasWork() && occupied.compareAndSet(false, true)) {
            handleBatch();
        }
    }

    private boolean hasWork() {
        return !batch.isEmpty() || !queue.isEmpty();
    }

    private void handleOnExecutor() {
        try {
            handleBatch();
        } catch (Throwable failed) {
            // The failure is kept, and the messages learn of it; a thread that died would only be replaced.
        }
    }

    private void handleBatch() {
        handleOne();
        wake();
    }

    /** The caller has occupied the mailbox. Frees it again unless the batch is unfinished. */
    private void handleOne() {
        CompletableFuture<?> awaited = null;
        try {
            prepareNext();
            if (!delivered) {
                fillBatch();
            }
            if (failure != null) {
                handler.reject(batch, batch == halfHandled, failure);
            } else if (!batch.isEmpty()) {
                delivered = true;
                awaited = handler.handle(batch);
            }
            if (awaited == null) {
                replaceBatch();
            }
        } catch (Throwable e) {
            // Neither allocates nor calls a method: memory or stack may be exhausted.
            if (delivered && halfHandled == null) {
                halfHandled = batch;
                failure = failure == null ? e : failure;
            }
            tries++;
            if (tries < TRIES_AT_ONCE) {
                free();
            } else {
                tryLater(e);
            }
            throw e;
        }
        if (awaited == null) {
            occupied.set(false);
        } else {
            await(awaited);
        }
        afterBatch.run();
    }

    private void await(CompletableFuture<?> awaited) {
        unfinished = awaited;
        Completions.whenSettled(awaited, this::settled);
        Throwable cause = failure;
        if (cause != null) {
            awaited.completeExceptionally(cause);
        }
    }

    private void settled(@Nullable Throwable error) {
        unfinished = null;
        if (error == null) {
            replaceBatch();
        } else {
            halfHandled = batch;
            failure = failure == null ? error : failure;
        }
        free();
    }

    /** Nothing may fail between the handling of a batch and its removal. */
    private void prepareNext() {
        if (next == batch) {
            next = new ArrayList<>();
        }
    }

    private void replaceBatch() {
        batch = next;
        delivered = false;
        tries = 0;
    }

    private void free() {
        occupied.set(false);
        wake();
    }

    /** Frees the mailbox after a pause. */
    private void tryLater(Throwable error) {
        if (tries == TRIES_MAX) {
            giveUp(error);
            free();
            return;
        }
        try {
            Completions.whenSettled(delay.apply(FIRST_PAUSE_NANOS << tries), done -> free());
        } catch (Throwable noTimer) {
            free();
        }
    }

    private void giveUp(Throwable error) {
        if (failure == null) {
            failure = error;
            tries = 0;
        } else {
            prepareNext();
            replaceBatch();
        }
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
