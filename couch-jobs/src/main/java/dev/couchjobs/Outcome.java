package dev.couchjobs;

/** How a job that is {@link JobState#FINISHED} ended. */
public enum Outcome {
    /** Its handler came to its end. */
    SUCCEEDED,
    /** All its attempts failed, or the last failed in a way that no further attempt would mend. */
    FAILED,
    /** Its handler gave it up on purpose. */
    CANCELLED,
    /** It had not begun by its deadline ({@link NewJob#startBefore}). */
    EXPIRED
}
