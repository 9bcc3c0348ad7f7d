package dev.couchjobs.internal.verbs;

import dev.couchjobs.NewJob;
import dev.couchjobs.Unique;

/**
 * A job to add.
 *
 * @param job the job, as its creator has given it
 * @param request its values
 */
record Addition(NewJob<?> job, AddRequest request) {
    /**
     * {@return whether it may share a commit} Others conflict with changes of other jobs, or replace another job, which
     * must not have changed in the same commit.
     */
    boolean isShareable() {
        return request.dependencies().isEmpty()
                && job.batch().isEmpty()
                && job.unique().filter(Unique::isReplacing).isEmpty();
    }
}
