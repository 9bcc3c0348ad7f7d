package dev.couchjobs.internal.worker;

import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.PayloadException;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.claims.ErrorText;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.internal.views.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Calls handlers, and converts what they return or throw into dispositions. */
final class JobRunner {
    private final JobPool pool;
    private final ActivityRows activities;
    private final Instance instance;
    private final Environment environment;
    private final FinishTransaction finishTransaction;

    JobRunner(JobPool pool, ActivityRows activities, Instance instance) {
        this.pool = pool;
        this.activities = activities;
        this.instance = instance;
        this.environment = instance.environment();
        this.finishTransaction = new FinishTransaction(instance);
    }

    /** Runs a job to its end, or to where its handler has begun what will end by itself. */
    <D> void run(JobRun<D> run) {
        Instant begun = environment.clock().instant();
        ClaimedJob<D> job = run.job();
        int maxAttempts = job.retry().maxAttempts();
        if (job.failures() >= maxAttempts) {
            pool.over(run, new Disposition.Failed(exhausted(maxAttempts), false), Duration.ZERO);
            return;
        }
        Optional<Duration> limit = run.queue().timeLimit();
        limit.ifPresent(time -> pool.limit(run, time));
        RunContext<D> context =
                new RunContext<>(pool, activities, instance, finishTransaction, run, limit.map(begun::plus));
        Object result;
        try {
            result = run.queue().handler().call(context);
        } catch (Throwable e) { // also an error: it is the handler's, and the job has to come to an end
            over(run, context, null, e, begun);
            return;
        }
        if (result instanceof BoundHandler.StartedCall handler) {
            pool.detachThread(run);
            await(run, context, handler.stage(), begun);
        } else {
            over(run, context, result, null, begun);
        }
    }

    private void await(JobRun<?> run, RunContext<?> context, @Nullable CompletionStage<?> stage, Instant begun) {
        if (stage == null) {
            over(run, context, null, new NullPointerException("The handler returned no stage."), begun);
            return;
        }
        if (stage instanceof CompletableFuture<?> future) {
            pool.begun(run, future);
        }
        var unused = stage.whenComplete((result, error) -> over(run, context, result, error, begun));
    }

    private void over(
            JobRun<?> run, RunContext<?> context, @Nullable Object result, @Nullable Throwable error, Instant begun) {
        Disposition disposition;
        try {
            disposition = error == null ? ended(run, context, result) : failed(run, context, error);
        } catch (Throwable e) { // also an error: the result is written by classes of the user's, as deep as they go
            disposition = new Disposition.Failed(ErrorText.of(e), true);
        }
        pool.over(run, disposition, Duration.between(begun, environment.clock().instant()));
    }

    private Disposition ended(JobRun<?> run, RunContext<?> context, @Nullable Object result) {
        Optional<Disposition> wanted = context.wanted();
        if (wanted.isPresent()) {
            return wanted.get();
        }
        try {
            return new Disposition.Succeeded(
                    encoded(run.queue().type(), run.job().id(), result));
        } catch (PayloadException e) {
            return new Disposition.Failed(ErrorText.of(e), false);
        }
    }

    @SuppressWarnings("unchecked") // a handler's result is of its type's result type
    private <R> Optional<byte[]> encoded(JobType<?, R> type, String jobId, @Nullable Object result) {
        return instance.codec().encodeResult(type, jobId, (R) result);
    }

    private static Disposition failed(JobRun<?> run, RunContext<?> context, Throwable error) {
        return context.isUnreadable()
                ? new Disposition.Failed(ErrorText.of(error), false)
                : Disposition.failed(run.queue().type(), error);
    }

    private static String exhausted(int maxAttempts) {
        return "All " + maxAttempts + " attempts have failed; those that left no error ended with their process.";
    }
}
