package dev.couchjobs;

/** What {@link Health} comes to. */
public enum HealthStatus {
    /** Jobs are stored and run as they should. */
    UP,
    /** The database answers, but an operator should look at the {@linkplain Health#reasons reasons}. */
    DEGRADED,
    /**
     * The database does not answer or commits nothing, or this instance may not use its rows: no job can be added or
     * run here.
     */
    DOWN
}
