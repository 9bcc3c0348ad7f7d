package dev.couchjobs.server;

/**
 * What a caller may do. A caller has any number of roles. {@link #ADMIN} includes all others, and {@link #OPERATE}
 * includes {@link #ADD}.
 */
public enum Role {
    /** Reads jobs and everything about them. */
    READ,
    /** Adds jobs. */
    ADD,
    /** Adds and changes jobs, types, schedules, limits, batches and workers. */
    OPERATE,
    /** Claims jobs and works on them. With its ends a caller adds jobs only if it may {@link #ADD}. */
    WORK,
    /** Everything, and the server itself. */
    ADMIN
}
