package dev.couchjobs.internal.verbs;

import dev.couchjobs.NewJob;

/**
 * A job to add.
 *
 * @param job the job, as its creator has given it
 * @param request its values
 */
record Addition(NewJob<?> job, AddRequest request) {
    /** A few jobs with more data fill a commit. */
    private static final int SMALL_BYTES_MAX = 50_000;

    /** {@return whether its commit may wait} A job with dependencies or in a batch conflicts with changes of others. */
    boolean isShareable() {
        return request.dependencies().isEmpty() && job.batch().isEmpty();
    }

    /** {@return whether it has so much data that it is not worth a wait for others to share its commit} */
    boolean isLarge() {
        return bytes() > SMALL_BYTES_MAX;
    }

    /** {@return the size of its data} */
    int bytes() {
        return request.payload().bytes();
    }
}
