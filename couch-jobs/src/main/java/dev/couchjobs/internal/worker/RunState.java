package dev.couchjobs.internal.worker;

/** The states of a run, and the only transitions between them. */
enum RunState {
    /** The job is claimed and waits for a slot. */
    WAITING,
    /** The handler runs, and its job has no disposition yet. */
    RUNNING,
    /** The handler runs, although the disposition of its job is decided. */
    DECIDED,
    /** The handler runs long after it was told to stop. Its slot counts as stuck. */
    STUCK,
    /** The disposition is decided, and no handler runs. */
    INACTIVE;

    /** The run takes a slot. */
    RunState handlerStarted() {
        return from(WAITING, RUNNING);
    }

    /** The disposition is decided, or the claim is lost. Later decisions change nothing. */
    RunState decided() {
        return switch (this) {
            case WAITING -> INACTIVE;
            case RUNNING -> DECIDED;
            case DECIDED, STUCK, INACTIVE -> this;
        };
    }

    /** The handler still runs when the grace period after it was told to stop is over. */
    RunState stuck() {
        return from(DECIDED, STUCK);
    }

    /** The handler returns and leaves its slot. The disposition is decided before. */
    RunState handlerReturned() {
        return this == STUCK ? INACTIVE : from(DECIDED, INACTIVE);
    }

    boolean hasSlot() {
        return this == RUNNING || this == DECIDED || this == STUCK;
    }

    boolean isDecided() {
        return this != WAITING && this != RUNNING;
    }

    private RunState from(RunState expected, RunState next) {
        if (this != expected) {
            throw new IllegalStateException("A run cannot go from " + this + " to " + next);
        }
        return next;
    }
}
