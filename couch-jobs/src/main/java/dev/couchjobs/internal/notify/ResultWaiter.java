package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.JobCancelledException;
import dev.couchjobs.JobExpiredException;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobNotFoundException;
import dev.couchjobs.JobType;
import dev.couchjobs.Outcome;
import dev.couchjobs.ResultTimeoutException;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.GuardedEnvironment;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.verbs.QueryVerbs;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for jobs to end and returns their results or errors.
 *
 * <p>A subscription reports the end of a job in any process, and then the job is read. If another process has enqueued
 * the job again in between, the waiter waits for its next end.
 */
public final class ResultWaiter {
    private final Database database;
    private final Executor executor;
    private final Environment environment;
    private final Notifiers notifiers;
    private final QueryVerbs queryVerbs;

    public ResultWaiter(Instance instance, Notifiers notifiers, QueryVerbs queryVerbs) {
        this.database = instance.database();
        this.executor = instance.executor();
        this.environment = instance.environment();
        this.notifiers = notifiers;
        this.queryVerbs = queryVerbs;
    }

    /** {@return the result, null if the job succeeded without one; fails if the job did not succeed} */
    public <D, R> CompletableFuture<@Nullable R> await(JobType<D, R> type, String jobId, Duration timeout) {
        Durations.limit("timeout", timeout);
        ResultRequest<D, R> request = new ResultRequest<>(type, jobId, new CompletableFuture<>());
        if (timeout.isZero()) {
            return queryVerbs.jobWithoutData(database, type, jobId).thenCompose(job -> {
                if (!request.completeIfEnded(job, false)) {
                    request.failByTimeout(timeout);
                }
                return request.result;
            });
        }
        awaitEnd(request); // before the timer, so that no timer runs if this throws
        Future<?> timer = environment
                .scheduler()
                .schedule(
                        () -> executor.execute(() -> request.failByTimeout(timeout)),
                        TimerDelays.nanos(timeout),
                        TimeUnit.NANOSECONDS);
        var unused = request.result.whenComplete((value, error) -> timer.cancel(false));
        return request.result;
    }

    /** Blocks until the result is complete; throws the runtime exception with which it failed. */
    public static <R> @Nullable R join(
            Environment environment, CompletableFuture<@Nullable R> result, JobType<?, R> type, String jobId) {
        if (!result.isDone() && GuardedEnvironment.isTimeVirtual(environment)) {
            result.cancel(false);
            throw new IllegalStateException(
                    "Job " + jobId + " of type " + type + " has not ended, and time is virtual: it does"
                            + " not pass while this thread waits. Use resultAsync, and let time pass before you ask"
                            + " for its value.");
        }
        try {
            return result.get();
        } catch (ExecutionException e) {
            Throwable cause = RootCauses.cause(e);
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            throw new CompletionException(cause);
        } catch (InterruptedException e) {
            result.cancel(false);
            Thread.currentThread().interrupt();
            throw new CancellationException("Interrupted while waiting for job " + jobId + " of type " + type + ".");
        }
    }

    private <D, R> void awaitEnd(ResultRequest<D, R> request) {
        var unused = notifiers
                .followEnd(request.type, request.jobId)
                .thenCompose(subscription -> awaitFinish(subscription, request))
                .thenCompose(seenToEnd -> queryVerbs
                        .jobWithoutData(database, request.type, request.jobId)
                        .thenAccept(job -> {
                            if (!request.completeIfEnded(job, seenToEnd)) {
                                awaitEnd(request);
                            }
                        }))
                .exceptionally(error -> {
                    request.result.completeExceptionally(RootCauses.of(error));
                    return null;
                });
    }

    /** Whether the subscription has reported the job's end; false if the job was removed or the request completed. */
    private CompletableFuture<Boolean> awaitFinish(FeedSubscription<?> subscription, ResultRequest<?, ?> request) {
        var unused = request.result.whenComplete((value, error) -> subscription.close());
        return notifiers.awaitFinish(subscription).whenComplete((seenToEnd, error) -> subscription.close());
    }

    /** A call that waits for a result. */
    private record ResultRequest<D, R>(JobType<D, R> type, String jobId, CompletableFuture<@Nullable R> result) {

        void failByTimeout(Duration timeout) {
            result.completeExceptionally(new ResultTimeoutException(type.name(), jobId, timeout));
        }

        /** Completes the result if the job has ended or was removed, and returns whether the result is complete. */
        boolean completeIfEnded(Optional<JobInfo<D, R>> job, boolean seenToEnd) {
            if (job.isEmpty()) {
                result.completeExceptionally(new JobNotFoundException(type.name(), jobId, seenToEnd));
                return true;
            }
            Optional<Outcome> outcome = job.get().outcome();
            outcome.ifPresent(value -> complete(value, job.get()));
            return outcome.isPresent() || result.isDone();
        }

        private void complete(Outcome outcome, JobInfo<D, R> job) {
            String error = job.error().orElse("no reason was given");
            switch (outcome) {
                case SUCCEEDED -> result.complete(job.result().orElse(null));
                case FAILED -> result.completeExceptionally(new JobFailedException(type.name(), jobId, error));
                case CANCELLED -> result.completeExceptionally(new JobCancelledException(type.name(), jobId, error));
                case EXPIRED -> result.completeExceptionally(new JobExpiredException(type.name(), jobId, error));
            }
        }
    }
}
