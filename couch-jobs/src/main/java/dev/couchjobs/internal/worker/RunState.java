package dev.couchjobs.internal.worker;

/** The states of a run, and the only transitions between them. */
enum RunState {
    /** The job is claimed and waits for a slot. */
    WAITING,
    /** The handler runs, and its job has no disposition yet. */
    RUNNING,
    /** The handler runs, although its job is settled. */
    ENDING,
    /** The handler runs long after it was told to stop. Its slot counts as lost. */
    STUCK,
    /** The job is settled, and no handler runs. */
    DONE;

    /** The run takes a slot. */
    RunState started() {
        return from(WAITING, RUNNING);
    }

    /** The disposition is decided, or the claim is lost. Later decisions change nothing. */
    RunState settled() {
        return switch (this) {
            case WAITING -> DONE;
            case RUNNING -> ENDING;
            case ENDING, STUCK, DONE -> this;
        };
    }

    /** The handler still runs when the time to obey is up. */
    RunState stuck() {
        return from(ENDING, STUCK);
    }

    /** The handler ends and leaves its slot. The run is settled before. */
    RunState over() {
        return this == STUCK ? DONE : from(ENDING, DONE);
    }

    boolean hasSlot() {
        return this == RUNNING || this == ENDING || this == STUCK;
    }

    boolean isSettled() {
        return this != WAITING && this != RUNNING;
    }

    private RunState from(RunState expected, RunState next) {
        if (this != expected) {
            throw new IllegalStateException("A run cannot go from " + this + " to " + next);
        }
        return next;
    }
}
