package dev.couchjobs.internal.accept;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code accept}. Its result completes on the database's executor, where a caller's next steps may block.
 */
final class AcceptCall<D> implements ClaimRequest<D> {
    private final JobType<D, ?> type;
    private final ClaimCriteria criteria;
    private final @Nullable Duration timeout;
    private final Executor executor;
    private final CompletableFuture<Optional<Job<D>>> result = new CompletableFuture<>();

    AcceptCall(JobType<D, ?> type, AcceptOptions options, Executor executor) {
        this.type = type;
        this.criteria = ClaimCriteria.of(options);
        this.timeout = options.timeout();
        this.executor = executor;
    }

    @Override
    public ClaimCriteria criteria() {
        return criteria;
    }

    @Override
    public int wanted() {
        return 1;
    }

    @Override
    public boolean isServedAtOnce() {
        return true;
    }

    CompletableFuture<Optional<Job<D>>> result() {
        return result;
    }

    void whenDone(Runnable action) {
        var unused = result.whenComplete((job, error) -> action.run());
    }

    /** Counts the deadline from the call; a zero timeout is counted in rounds instead. */
    void startTimer(ScheduledExecutorService scheduler) {
        if (timeout == null || isNonBlocking()) {
            return;
        }
        Future<?> timer = scheduler.schedule(this::answerNothing, TimerDelays.nanos(timeout), TimeUnit.NANOSECONDS);
        whenDone(() -> timer.cancel(false));
    }

    /** A claim that finds its caller gone, because of the deadline or a cancellation, is not kept. */
    @Override
    public void give(List<GrantedClaim<D>> jobs, ClaimReleaser claimReleaser) {
        Job<D> job = jobs.get(0).job().as(type);
        executor.execute(() -> {
            if (!result.complete(Optional.of(job))) {
                claimReleaser.give(job);
            }
        });
    }

    /** Whether one look at the queue is all that this caller waits for. */
    private boolean isNonBlocking() {
        return timeout != null && timeout.isZero();
    }

    @Override
    public boolean leavesWithNothing() {
        return isNonBlocking();
    }

    @Override
    public void leave() {
        answerNothing();
    }

    @Override
    public void claimEnded() {}

    @Override
    public void fail(Throwable error) {
        executor.execute(() -> result.completeExceptionally(error));
    }

    void answerNothing() {
        executor.execute(() -> result.complete(Optional.empty()));
    }
}
