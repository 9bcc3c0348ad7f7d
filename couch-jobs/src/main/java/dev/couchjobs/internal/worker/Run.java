package dev.couchjobs.internal.worker;

import dev.couchjobs.internal.claims.Disposition;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job as the {@link WorkerStateMachine} sees it. The lock of the worker guards what is not volatile.
 *
 * @param <R> the class of the runs
 */
abstract class Run<R extends Run<R>> {
    private RunState state = RunState.WAITING;
    private boolean confirmed;
    private long lastHeartbeatRound;
    private @Nullable Disposition disposition;

    /** Whether the handler was asked to stop. A handler that ends its job itself may continue. */
    private volatile boolean halted;

    private volatile boolean cancelled;
    private volatile boolean released;

    /** @param confirmed whether the database knows that the work has begun */
    Run(boolean confirmed) {
        this.confirmed = confirmed;
    }

    /** {@return how much data the job has} */
    abstract int bytes();

    /** {@return whether the job may have ended the process of its last claim} */
    abstract boolean isSuspect();

    abstract TypeState<R> typeState();

    void claimedIn(long round) {
        lastHeartbeatRound = round;
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

    void endsAs(Disposition decided) {
        disposition = decided;
    }

    /** {@return the disposition that is decided, which the worker writes} */
    Disposition disposition() {
        return Objects.requireNonNull(disposition, "not decided");
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
