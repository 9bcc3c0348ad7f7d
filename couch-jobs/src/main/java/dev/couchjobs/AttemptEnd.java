package dev.couchjobs;

/** How one attempt at a job ended. */
public enum AttemptEnd {
    /** The handler came to its end. */
    SUCCEEDED,
    /** The handler failed. */
    FAILED,
    /** The handler gave the job up on purpose. */
    CANCELLED,
    /** The handler asked to be called again later; not counted as a failure. */
    SNOOZED,
    /** The processor sent no heartbeat for longer than the type's activity timeout; counted as a failure. */
    EXPIRED,
    /**
     * The processor released the claim, because it shut down or had no memory left; not counted as a failure, but apart
     * ({@link ReleaseReason}).
     */
    RELEASED
}
