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

/** One call of {@code accept}. Its result completes on the database's executor, so that its dependents may block. */
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
    public int beginClaim() {
        return 1;
    }

    @Override
    public boolean isOneShot() {
        return true;
    }

    @Override
    public boolean isNonBlocking() {
        return timeout != null && timeout.isZero();
    }

    CompletableFuture<Optional<Job<D>>> result() {
        return result;
    }

    void whenDone(Runnable action) {
        var unused = result.whenComplete((job, error) -> action.run());
    }

    /** Starts the timeout. A non-blocking call has no timer: the first claim that finds no job completes it. */
    void startTimer(ScheduledExecutorService scheduler) {
        if (timeout == null || isNonBlocking()) {
            return;
        }
        Future<?> timer = scheduler.schedule(this::completeEmpty, TimerDelays.nanos(timeout), TimeUnit.NANOSECONDS);
        whenDone(() -> timer.cancel(false));
    }

    /** Delivers the job, or releases it if the call has timed out or was cancelled. */
    @Override
    public void deliver(List<GrantedClaim<D>> jobs, int prefetchMax, ClaimReleaser claimReleaser) {
        Job<D> job = jobs.get(0).job().as(type);
        executor.execute(() -> {
            if (!result.complete(Optional.of(job))) {
                claimReleaser.release(job);
            }
        });
    }

    @Override
    public void completeEmpty() {
        executor.execute(() -> result.complete(Optional.empty()));
    }

    @Override
    public void claimEnded() {}

    @Override
    public void fail(Throwable error) {
        executor.execute(() -> result.completeExceptionally(error));
    }
}
