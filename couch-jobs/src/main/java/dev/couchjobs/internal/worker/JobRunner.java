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
    private final Instance instance;
    private final Environment environment;
    private final FinishTransaction finishTransaction;
    private final int longTriesMax;

    /**
     * Calls no handler yet.
     *
     * @param longTriesMax how many tries of a handler's transaction may take too long
     */
    JobRunner(Instance instance, int longTriesMax) {
        this.instance = instance;
        this.environment = instance.environment();
        this.finishTransaction = new FinishTransaction(instance);
        this.longTriesMax = longTriesMax;
    }

    /** Is called once, when a handler has ended. */
    interface EndListener {
        /**
         * The handler has ended.
         *
         * @param disposition how its job ends, unless that is decided already
         * @param took how long the handler took
         */
        void ended(Disposition disposition, Duration took);
    }

    /** Runs a job to its end, or to where its handler has begun what will end by itself. */
    <D> void run(JobRun<D> run, TypeRuns<D> runs, HandlerRegistration<D, ?> registration, EndListener listener) {
        Instant begun = environment.clock().instant();
        ClaimedJob<D> job = run.job();
        int maxAttempts = job.retry().maxAttempts();
        if (job.failures() >= maxAttempts) {
            listener.ended(new Disposition.Failed(exhausted(maxAttempts), false), Duration.ZERO);
            return;
        }
        Optional<Duration> limit = registration.timeLimit();
        limit.ifPresent(time -> runs.limit(run, time));
        RunContext<D> context =
                new RunContext<>(runs, instance, finishTransaction, run, limit.map(begun::plus), longTriesMax);
        Call<D> call = new Call<>(run, context, begun, listener);
        Object result;
        try {
            result = registration.handler().call(context);
        } catch (Throwable e) { // also an error: it is the handler's, and the job has to come to an end
            call.ended(null, e);
            return;
        }
        if (result instanceof BoundHandler.StartedCall handler) {
            var unused = run.detachThread();
            call.await(handler.stage());
        } else {
            call.ended(result, null);
        }
    }

    /** A call of a handler. */
    private final class Call<D> {
        private final JobRun<D> run;
        private final RunContext<D> context;
        private final Instant begun;
        private final EndListener listener;

        Call(JobRun<D> run, RunContext<D> context, Instant begun, EndListener listener) {
            this.run = run;
            this.context = context;
            this.begun = begun;
            this.listener = listener;
        }

        void await(@Nullable CompletionStage<?> stage) {
            if (stage == null) {
                ended(null, new NullPointerException("The handler returned no stage."));
                return;
            }
            if (stage instanceof CompletableFuture<?> future && run.started(future)) {
                future.cancel(true);
            }
            var unused = stage.whenComplete(this::ended);
        }

        void ended(@Nullable Object result, @Nullable Throwable error) {
            Disposition disposition;
            try {
                disposition = error == null ? returned(result) : failed(error);
            } catch (Throwable e) { // also an error: the result is written by classes of the user's, as deep as they go
                disposition = new Disposition.Failed(ErrorText.of(e), true);
            }
            listener.ended(
                    disposition, Duration.between(begun, environment.clock().instant()));
        }

        private Disposition returned(@Nullable Object result) {
            Optional<Disposition> wanted = context.wanted();
            if (wanted.isPresent()) {
                return wanted.get();
            }
            try {
                return new Disposition.Succeeded(
                        encoded(run.job().type(), run.job().id(), result));
            } catch (PayloadException e) {
                return new Disposition.Failed(ErrorText.of(e), false);
            }
        }

        private Disposition failed(Throwable error) {
            return context.isUnreadable()
                    ? new Disposition.Failed(ErrorText.of(error), false)
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
