package dev.couchjobs;

/**
 * Works on one job and returns its result. May block: it runs on a thread of the worker's own.
 *
 * @param <D> the type of the job's data
 * @param <R> the type of its result
 */
@FunctionalInterface
public interface JobHandler<D, R> {

    /**
     * Does the job.
     *
     * @param job the job, and what can be done about it
     * @return the result, which is stored and given to all callers that wait for it
     * @throws Exception if this attempt failed; the job is tried again as its retry policy says
     */
    R handle(JobContext<D> job) throws Exception;
}
