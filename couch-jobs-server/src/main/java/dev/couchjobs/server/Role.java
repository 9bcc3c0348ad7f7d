package dev.couchjobs.server;

/** What a caller may do. A caller has any number of roles; none includes another, but for {@link #ADMIN}. */
public enum Role {
    /** Reads jobs and everything about them. */
    READ,
    /** Adds and changes jobs, types, schedules, limits, batches and workers. */
    OPERATE,
    /** Claims jobs and works on them. */
    WORK,
    /** Everything, and the server itself. */
    ADMIN
}
