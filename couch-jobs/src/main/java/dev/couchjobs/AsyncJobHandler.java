package dev.couchjobs;

import java.util.concurrent.CompletionStage;

/**
 * Begins to work on one job and returns at once; the job ends when the stage does.
 *
 * @param <D> the type of the job's data
 * @param <R> the type of its result
 */
@FunctionalInterface
public interface AsyncJobHandler<D, R> {

    /**
     * Begins to do the job.
     *
     * @param job the job, and what can be done about it
     * @return completes with the result, or fails if this attempt failed. If the worker has to stop the job and it is a
     *     {@link java.util.concurrent.CompletableFuture}, it is cancelled
     * @throws Exception as if the stage had failed
     */
    CompletionStage<? extends R> handle(JobContext<D> job) throws Exception;
}
