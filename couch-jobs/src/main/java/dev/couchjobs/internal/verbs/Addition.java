package dev.couchjobs.internal.verbs;

import dev.couchjobs.NewJob;

/**
 * A job to add.
 *
 * @param job the job, as its creator has given it
 * @param request its values
 */
record Addition(NewJob<?> job, AddRequest request) {
    /**
     * {@return whether it may share a commit} A job with dependencies or in a batch conflicts with changes of others.
     */
    boolean isShareable() {
        return request.dependencies().isEmpty() && job.batch().isEmpty();
    }
}
