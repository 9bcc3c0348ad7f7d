package dev.couchjobs;

/**
 * What a job does or waits for, in the words of operators: finer than {@link JobState}. Of the statuses of a pending
 * job the first that applies counts.
 */
public enum JobStatus {
    /** Pending, and waits for a dependency, for others in its sequence, or for its batch to close. */
    BLOCKED,
    /** Pending, and waits for a slot of its limit key, which may be paused. A claim gives it a slot that is free. */
    LIMITED,
    /** Pending after a failed attempt, and not found due since. */
    RETRYING,
    /** Pending with a scheduled time, and not found due. Its time may have come, if no process has looked since. */
    SCHEDULED,
    /** Pending, and would wait to be claimed, but its type is paused. */
    PAUSED,
    /** Pending, and waits to be claimed. */
    WAITING,
    /** Claimed. */
    RUNNING,
    /** Ended well, and still kept. */
    SUCCEEDED,
    /** Failed for good: a dead letter. */
    FAILED,
    /** Given up on purpose, and still kept. */
    CANCELLED,
    /** Had not begun by its deadline, and is still kept. */
    EXPIRED
}
