package dev.couchjobs;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Takes jobs that have ended before they are removed.
 *
 * @param <D> the type of the jobs' data
 * @param <R> the type of their results
 */
@FunctionalInterface
public interface JobArchive<D, R> {
    /**
     * Takes some jobs. They are removed once the returned stage has completed well, and only then; if it fails they are
     * offered again, after a pause. A job may be offered more than once, also after its stage has completed, if the
     * process dies before the job is removed: its id and the number of its last claim distinguish one end of a job from
     * another.
     *
     * <p>Called on the database's executor, one page at a time; it must not block.
     *
     * @param jobs jobs that have ended, at least one
     * @return when they are safe
     */
    CompletionStage<?> store(List<JobInfo<D, R>> jobs);
}
