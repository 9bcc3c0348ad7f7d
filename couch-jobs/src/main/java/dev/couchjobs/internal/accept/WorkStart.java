package dev.couchjobs.internal.accept;

/** When the work begins on the jobs that a claim takes. It decides whether a claim that expires was an attempt. */
enum WorkStart {
    /** With the claim: each job goes to a caller of its own. */
    WITH_CLAIM,
    /** With the claim if it takes one job: there is a free place, but its process may die before it begins more. */
    WITH_CLAIM_OF_ONE,
    /** Later, if a job before it in the same process ends. */
    LATER
}
