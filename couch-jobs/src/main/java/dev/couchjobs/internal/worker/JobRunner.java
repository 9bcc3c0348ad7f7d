package dev.couchjobs.internal.worker;

import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.PayloadException;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.descent.Descent;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.observe.MiddlewareChain;
import dev.couchjobs.internal.observe.UserCode;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.internal.views.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Calls handlers, and converts what they return or throw into dispositions. */
final class JobRunner {
    private final Instance instance;
    private final Environment environment;
    private final FinishTransaction finishTransaction;
    private final RunReports reports;
    private final MiddlewareChain middleware;
    private final int longTriesMax;

    /** @param longTriesMax how many tries of a handler's transaction may take too long */
    JobRunner(Instance instance, MiddlewareChain middleware, int longTriesMax) {
        this.instance = instance;
        this.environment = instance.environment();
        this.finishTransaction = new FinishTransaction(instance);
        this.reports = new RunReports(instance);
        this.middleware = middleware;
        this.longTriesMax = longTriesMax;
    }

    /** Calls the handler of a job. Its type learns of the return now, or when the stage of the handler ends. */
    <D> void run(JobRun<D> run) {
        Instant startedAt = environment.clock().instant();
        HandledType<D> type = run.type();
        ClaimedJob<D> job = run.job();
        int maxAttempts = job.retry().maxAttempts();
        if (job.failures() >= maxAttempts) {
            type.handlerReturned(run, new Disposition.Failed(exhausted(maxAttempts), false), Duration.ZERO);
            return;
        }
        if (job.isLate(instance.clock().millis())) {
            type.handlerReturned(run, new Disposition.PutBack(), Duration.ZERO); // the next claim ends the job
            return;
        }
        Optional<Duration> limit = type.registration().timeLimit();
        limit.ifPresent(time -> type.startTimeLimit(run, time));
        RunContext<D> context =
                new RunContext<>(instance, finishTransaction, run, limit.map(startedAt::plus), longTriesMax);
        Call<D> call = new Call<>(run, context, startedAt);
        try {
            LogContext.around(run, () -> {
                reports.starts(run, startedAt);
                Descent.around(job.descent(), () -> {
                    if (middleware.isEmpty()) {
                        call.direct(type.registration().handler());
                    } else {
                        call.throughMiddleware(type.registration().handler());
                    }
                });
            });
        } catch (Throwable e) { // of a stage of the user's own class: the job has to end, and its slot to become free
            call.handlerReturned(null, e);
        }
    }

    /** A call of a handler. */
    private final class Call<D> {
        private final JobRun<D> run;
        private final RunContext<D> context;
        private final Instant startedAt;
        /** A stage of the user's own class may end twice, or end and throw. */
        private final AtomicBoolean hasReturned = new AtomicBoolean();

        Call(JobRun<D> run, RunContext<D> context, Instant startedAt) {
            this.run = run;
            this.context = context;
            this.startedAt = startedAt;
        }

        void direct(BoundHandler<D, ?> handler) {
            Object result;
            try {
                result = handler.call(context);
            } catch (Throwable e) { // also an error: the handler throws it, and the job has to end
                handlerReturned(null, e);
                return;
            }
            if (result instanceof BoundHandler.StartedCall started) {
                var unused = run.detachThread();
                await(started.stage());
            } else {
                handlerReturned(result, null);
            }
        }

        private void await(@Nullable CompletionStage<?> stage) {
            if (stage == null) {
                handlerReturned(null, new NullPointerException("The handler returned no stage."));
                return;
            }
            if (stage instanceof CompletableFuture<?> future && run.stageReturned(future)) {
                future.cancel(true);
            }
            returnAtEnd(stage);
        }

        /** Calls the handler through the middleware. If the attempt ends later, the thread is free from now on. */
        void throughMiddleware(BoundHandler<D, ?> handler) {
            CompletionStage<?> stage = middleware.run(context, () -> stageOf(handler));
            if (!(stage instanceof CompletableFuture<?> future)) {
                var unused = run.detachThread();
            } else if (!future.isDone()) {
                var unused = run.detachThread();
                if (run.outerStageReturned(future)) {
                    future.cancel(true);
                }
            }
            returnAtEnd(stage);
        }

        /** By {@code handle}, which does not pass on an error that may have no text. */
        private void returnAtEnd(CompletionStage<?> stage) {
            var unused = stage.handle((result, error) -> {
                handlerReturned(result, error);
                return null;
            });
        }

        /** Calls the handler. A worker that stops it cancels its stage, not those that middleware makes of that. */
        private CompletionStage<?> stageOf(BoundHandler<D, ?> handler) {
            Object result;
            try {
                result = handler.call(context);
            } catch (Throwable e) { // also an error: the handler throws it, and the job has to end
                return CompletableFuture.failedFuture(UserCode.passable(e));
            }
            if (!(result instanceof BoundHandler.StartedCall started)) {
                return CompletableFuture.completedFuture(result);
            }
            CompletionStage<?> stage = started.stage();
            if (stage == null) {
                return CompletableFuture.failedFuture(new NullPointerException("The handler returned no stage."));
            }
            if (stage instanceof CompletableFuture<?> future && run.stageReturned(future)) {
                future.cancel(true);
            }
            return UserCode.stage("The handler", stage); // middleware may chain stages of the JDK to it
        }

        void handlerReturned(@Nullable Object result, @Nullable Throwable error) {
            if (hasReturned.getAndSet(true)) {
                return;
            }
            Disposition disposition;
            try {
                disposition = error == null ? returned(result) : failed(error);
            } catch (Throwable e) { // also an error: the user's classes encode the result
                disposition = Disposition.failed(e, true);
            }
            run.type()
                    .handlerReturned(
                            run,
                            disposition,
                            Duration.between(startedAt, environment.clock().instant()));
        }

        private Disposition returned(@Nullable Object result) {
            Optional<Disposition> requestedDisposition = context.requestedDisposition();
            if (requestedDisposition.isPresent()) {
                return requestedDisposition.get();
            }
            try {
                return new Disposition.Succeeded(
                        encoded(run.job().type(), run.job().id(), result));
            } catch (PayloadException e) {
                return Disposition.failed(e, false);
            }
        }

        private Disposition failed(Throwable error) {
            return context.isUnreadable()
                    ? Disposition.failed(error, false)
                    : Disposition.failed(run.job().type(), error);
        }
    }

    @SuppressWarnings("unchecked") // a handler's result is of its type's result type
    private <R> Optional<byte[]> encoded(JobType<?, R> type, String jobId, @Nullable Object result) {
        return instance.codec().encodeResult(type, jobId, (R) result);
    }

    private static String exhausted(int maxAttempts) {
        return "All " + maxAttempts + " attempts have failed; those that left no error ended with their process.";
    }
}
