package dev.couchjobs.internal.worker;

import org.jspecify.annotations.Nullable;

/**
 * A claimed job as the {@link WorkerStateMachine} sees it. The lock of the worker guards what is not volatile.
 *
 * @param <R> the class of the runs
 */
abstract class Run<R extends Run<R>> {
    private final int bytes;
    private final boolean isSuspect;
    private RunState state = RunState.WAITING;
    private @Nullable TypeState<R> type;
    private boolean confirmed;
    private long lastHeartbeatRound;

    /** Whether the handler was asked to stop. A handler that ends its job itself may continue. */
    private volatile boolean halted;

    private volatile boolean cancelled;
    private volatile boolean released;

    /**
     * @param bytes how much data the job has
     * @param isSuspect whether the job may have ended the process of its last claim
     * @param confirmed whether the database knows that the work has begun
     */
    Run(int bytes, boolean isSuspect, boolean confirmed) {
        this.bytes = bytes;
        this.isSuspect = isSuspect;
        this.confirmed = confirmed;
    }

    int bytes() {
        return bytes;
    }

    boolean isSuspect() {
        return isSuspect;
    }

    /** {@return the type, which claimed it} */
    TypeState<R> typeState() {
        TypeState<R> present = type;
        if (present == null) {
            throw new IllegalStateException("The run is not claimed.");
        }
        return present;
    }

    void claimedBy(TypeState<R> type, long round) {
        this.type = type;
        this.lastHeartbeatRound = round;
    }

    /** {@return whether the database knows that the work has begun} */
    boolean isConfirmed() {
        return confirmed;
    }

    /** {@return the round of heartbeats in which its lease was last renewed} */
    long lastHeartbeatRound() {
        return lastHeartbeatRound;
    }

    void renewedIn(long round) {
        lastHeartbeatRound = round;
        confirmed = true;
    }

    /** {@return whether its end is decided, or its claim is lost} */
    boolean isDecided() {
        return state.isDecided();
    }

    boolean hasSlot() {
        return state.hasSlot();
    }

    boolean isStuck() {
        return state == RunState.STUCK;
    }

    void begin() {
        state = state.handlerStarted();
    }

    /** {@return whether it was not decided before} */
    boolean decide() {
        boolean isFirst = !state.isDecided();
        state = state.decided();
        return isFirst;
    }

    void markStuck() {
        state = state.stuck();
    }

    void handlerReturned() {
        state = state.handlerReturned();
    }

    /** {@return whether the handler was asked to stop} */
    boolean isHalted() {
        return halted;
    }

    void markHalted() {
        halted = true;
    }

    /** {@return whether the job was cancelled by another than its handler} */
    boolean isCancelled() {
        return cancelled;
    }

    void markCancelled() {
        cancelled = true;
    }

    /** {@return whether the worker has released the job} Another may claim it before the handler learns of that. */
    boolean isReleased() {
        return released;
    }

    void markReleased() {
        released = true;
    }
}
