package dev.couchjobs;

/** The state of a job (RFC 007, "Job States"). */
public enum JobState {
    /** Waiting to be accepted, now or when its scheduled time has come. */
    PENDING,
    /** Accepted by a processor that holds the job's lock. */
    RUNNING,
    /** Neither pending nor running: its processor has finished it. */
    FINISHED,
    /** There is no such job: it was never added, or it has been removed. An answer, not an error. */
    NOT_FOUND;

    /** {@return whether nothing follows this state unless the job is added again} */
    public boolean isTerminal() {
        return this == FINISHED || this == NOT_FOUND;
    }
}
