package dev.couchjobs;

/**
 * Works on one job that has no result. May block: it runs on a thread of the worker's own.
 *
 * @param <D> the type of the job's data
 */
@FunctionalInterface
public interface JobProcessor<D> {

    /**
     * Does the job.
     *
     * @param job the job, and what can be done about it
     * @throws Exception if this attempt failed; the job is tried again as its retry policy says
     */
    void process(JobContext<D> job) throws Exception;
}
