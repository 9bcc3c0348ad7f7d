package dev.couchjobs;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Code around the additions and the attempts of an instance ({@link CouchJobsBuilder#middleware}), or around the
 * attempts of one worker ({@link WorkerBuilder#middleware}): for traces, logs, authorisation, or a context that travels
 * with a job. The first that was added is the outermost.
 *
 * <pre>{@code
 * final class Tenants implements JobMiddleware {
 *     public CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> jobs, Addition next) {
 *         return next.add(jobs.stream().map(job -> job.header("tenant", Tenant.current())).toList());
 *     }
 *
 *     public CompletionStage<?> run(JobContext<?> job, Attempt next) {
 *         try (Tenant.Scope scope = Tenant.enter(job.job().headers().get("tenant"))) {
 *             return next.run();
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads. {@code next} reports every error through its stage, and throws none.
 */
public interface JobMiddleware {
    /**
     * Adds jobs: called once for each call of {@code add} and {@code addAll}, and for the closing job of a
     * {@linkplain Batches#open batch}, on the caller's thread. It may give the jobs other options, but passes on as
     * many as it got, in their order. It calls {@code next} once, before it returns. In a transaction of the caller's
     * the addition may still fail, or be tried again, after the stage has ended.
     *
     * <p>The jobs of a {@link Schedule} are added without a caller, and so without this.
     *
     * @param jobs the jobs, at least one
     * @param next adds them
     * @return the results, in the order of the jobs; if it fails, or this throws, the verb does
     */
    default CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> jobs, Addition next) {
        return next.add(jobs);
    }

    /**
     * Runs an attempt at a job: called on the thread that calls the handler. {@code next} runs a blocking handler to
     * its end on the thread that calls it, and starts an asynchronous one. It is called at most once. If it is not
     * called, the attempt ends as this says, also by {@link JobContext#snooze} or {@link JobContext#cancel}. If the
     * returned stage fails, or this throws, the attempt has failed as if the handler had thrown the error.
     *
     * @param job the job
     * @param next calls the handler
     * @return the result of the attempt; a stage that does not end before that of {@code next}
     */
    default CompletionStage<? extends @Nullable Object> run(JobContext<?> job, Attempt next) {
        return next.run();
    }

    /** The rest of an addition. */
    @FunctionalInterface
    interface Addition {
        /**
         * Adds the jobs.
         *
         * @param jobs the jobs to add
         * @return the results; fails as the verb does
         */
        CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> jobs);
    }

    /** The rest of an attempt. */
    @FunctionalInterface
    interface Attempt {
        /**
         * Calls the handler.
         *
         * @return its result; fails with what the handler throws
         */
        CompletionStage<? extends @Nullable Object> run();
    }
}
