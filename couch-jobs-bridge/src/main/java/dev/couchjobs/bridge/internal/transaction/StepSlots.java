package dev.couchjobs.bridge.internal.transaction;

import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The worker slots of a node that replicates, which the node reserves for steps. A document whose current step the node
 * may claim waits in a queue until a slot is free. All methods act within the caller's transaction.
 */
public interface StepSlots {

    /**
     * Frees the slots of claims that have expired, and withdraws claims of nodes that have not begun in time.
     *
     * @return when to check again
     */
    CompletableFuture<Pause> checkTimeouts(BridgeTransaction transaction);

    /** {@return the id of the queued document that gets the next slot; empty if none is queued or no slot is free} */
    CompletableFuture<Optional<String>> nextQueued(BridgeTransaction transaction);

    /** Claims the current step of a queued document for a free slot. {@return what to store} */
    CompletableFuture<Kept> claim(BridgeTransaction transaction, Kept now);

    /**
     * Reserves the slot of a step that runs on this node.
     *
     * @param pause how long other steps may use the slot before; empty if they may not
     */
    CompletableFuture<Void> reserve(BridgeTransaction transaction, StepJob job, Optional<Duration> pause);

    /** Frees the slot of a step that has ended on this node. */
    CompletableFuture<Void> stepEnded(BridgeTransaction transaction, StepJob job);

    /** Removes an ended job from the queue, and frees the slot of its current step unless that step runs. */
    CompletableFuture<Void> jobEnded(BridgeTransaction transaction, Kept before);
}
