package dev.couchjobs.internal.accept;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.internal.loop.Delays;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One call of {@code accept}. Its result completes on the database's executor, where a caller's next steps may block. */
final class Waiter<D> {
    private final AcceptMode mode;
    private final @Nullable Duration timeout;
    private final Executor executor;
    private final CompletableFuture<Optional<Job<D>>> result = new CompletableFuture<>();

    Waiter(AcceptOptions options, Executor executor) {
        this.mode = AcceptMode.of(options);
        this.timeout = options.timeout();
        this.executor = executor;
    }

    AcceptMode mode() {
        return mode;
    }

    CompletableFuture<Optional<Job<D>>> result() {
        return result;
    }

    void whenDone(Runnable action) {
        var unused = result.whenComplete((job, error) -> action.run());
    }

    /** Counts the deadline from the call; a zero timeout is counted in rounds instead. */
    void startTimer(ScheduledExecutorService scheduler) {
        if (timeout == null || isImpatient()) {
            return;
        }
        Future<?> timer = scheduler.schedule(this::answerNothing, Delays.nanos(timeout), TimeUnit.NANOSECONDS);
        whenDone(() -> timer.cancel(false));
    }

    /** A claim that finds its caller gone, because of the deadline or a cancellation, is not kept. */
    void give(Job<D> job, HandBack handBack) {
        executor.execute(() -> {
            if (!result.complete(Optional.of(job))) {
                handBack.give(job);
            }
        });
    }

    /** Whether one look at the queue is all that this caller waits for. */
    boolean isImpatient() {
        return timeout != null && timeout.isZero();
    }

    void fail(Throwable error) {
        executor.execute(() -> result.completeExceptionally(error));
    }

    void answerNothing() {
        executor.execute(() -> result.complete(Optional.empty()));
    }
}
