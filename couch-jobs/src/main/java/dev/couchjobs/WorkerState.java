package dev.couchjobs;

/** What a worker does, as {@link WorkerInfo#state} says. */
public enum WorkerState {
    /** It claims jobs and runs them. */
    RUNNING,
    /** It claims nothing until its name is resumed. Jobs that ran when it was paused run to their end. */
    PAUSED,
    /** It claims nothing more, and ends when the jobs that it runs have ended: it was drained, or is being closed. */
    DRAINING
}
