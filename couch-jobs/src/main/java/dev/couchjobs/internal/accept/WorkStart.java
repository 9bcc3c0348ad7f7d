package dev.couchjobs.internal.accept;

/** When the work on claimed jobs begins. This decides whether a claim that expires was an attempt. */
enum WorkStart {
    /** The work begins with the claim: each job is delivered to its own caller. */
    WITH_CLAIM,
    /** The work begins with the claim: one caller gets all jobs. A suspect is claimed alone. */
    WITH_CLAIM_FOR_ONE_CALLER,
    /**
     * The work begins with the claim if that is of one job, for which a slot is free. Of several jobs the process may
     * die before it begins them all.
     */
    WITH_CLAIM_OF_ONE,
    /** The work begins later, when a slot becomes free. */
    LATER
}
