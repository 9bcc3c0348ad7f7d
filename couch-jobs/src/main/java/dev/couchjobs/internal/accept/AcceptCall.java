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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code accept}. Its result completes on the database's executor, so that its dependents may block.
 *
 * @param <R> the result, which contains the claimed jobs
 */
final class AcceptCall<D, R> implements ClaimRequest<D> {
    private final JobType<D, ?> type;
    private final ClaimCriteria criteria;
    private final @Nullable Duration timeout;
    private final @Nullable String by;
    private final Optional<CallRow> callRow;
    private final Accepting acceptor;
    private final Executor executor;
    private final int max;
    private final Function<List<Job<D>>, R> toResult;
    private final CompletableFuture<R> result = new CompletableFuture<>();

    /**
     * The acceptor that serves calls, as they know it: each has one of its own.
     *
     * @param executor completes their results
     * @param turns those of all acceptors
     * @param wakeUp lets it claim
     */
    record Accepting(Executor executor, CallTurns turns, Runnable wakeUp) {}

    private AcceptCall(
            JobType<D, ?> type,
            ClaimCriteria criteria,
            AcceptOptions options,
            Accepting acceptor,
            int max,
            Function<List<Job<D>>, R> toResult) {
        this.type = type;
        this.criteria = criteria;
        this.max = max;
        this.toResult = toResult;
        this.timeout = options.timeout();
        this.by = options.by();
        this.callRow = callRow(options);
        this.acceptor = acceptor;
        this.executor = acceptor.executor();
        callRow.ifPresent(row -> whenDone(() -> acceptor.turns().leave(row.identity(), this)));
    }

    private static Optional<CallRow> callRow(AcceptOptions options) {
        byte[] key = options.onceKey();
        String call = options.onceCall();
        return key == null || call == null ? Optional.empty() : Optional.of(new CallRow(key, call));
    }

    /** {@return a call for one job} */
    static <D> AcceptCall<D, Optional<Job<D>>> forOne(JobType<D, ?> type, AcceptOptions options, Accepting acceptor) {
        return new AcceptCall<>(
                type,
                ClaimCriteria.of(options),
                options,
                acceptor,
                1,
                jobs -> jobs.stream().findFirst());
    }

    /** {@return a call for several jobs} */
    static <D> AcceptCall<D, List<Job<D>>> forSeveral(
            JobType<D, ?> type, int max, AcceptOptions options, Accepting acceptor) {
        ClaimCriteria criteria = ClaimCriteria.of(options).with(WorkStart.WITH_CLAIM_FOR_ONE_CALLER, true);
        return new AcceptCall<>(type, criteria, options, acceptor, max, jobs -> jobs);
    }

    @Override
    public ClaimCriteria criteria() {
        return criteria;
    }

    @Override
    public int beginClaim() {
        return callRow.filter(row -> !acceptor.turns().begin(row.identity(), this))
                        .isPresent()
                ? 0
                : max;
    }

    Accepting acceptor() {
        return acceptor;
    }

    boolean isDone() {
        return result.isDone();
    }

    @Override
    public Optional<String> by() {
        return Optional.ofNullable(by);
    }

    @Override
    public Optional<CallRow> callRow() {
        return callRow;
    }

    @Override
    public boolean isOneShot() {
        return true;
    }

    @Override
    public boolean isNonBlocking() {
        return timeout != null && timeout.isZero();
    }

    CompletableFuture<R> result() {
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

    /** Delivers the jobs, or releases them if the call has timed out or was cancelled. */
    @Override
    public void deliver(List<GrantedClaim<D>> jobs, int prefetchMax, ClaimReleaser claimReleaser) {
        List<Job<D>> claims =
                jobs.stream().<Job<D>>map(claim -> claim.job().as(type)).toList();
        executor.execute(() -> {
            if (!result.complete(toResult.apply(claims))) {
                claims.forEach(claimReleaser::release);
            }
        });
    }

    @Override
    public void completeEmpty() {
        executor.execute(() -> result.complete(toResult.apply(List.of())));
    }

    @Override
    public void claimEnded() {
        callRow.ifPresent(row -> acceptor.turns().end(row.identity(), this));
    }

    @Override
    public void fail(Throwable error) {
        executor.execute(() -> result.completeExceptionally(error));
    }
}
