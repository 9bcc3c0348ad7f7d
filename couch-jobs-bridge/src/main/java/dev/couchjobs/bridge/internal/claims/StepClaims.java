package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.store.SlotReservations.StepRound;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What a node claims of documents that others have made, and what happens to it. A claim can be made good only while
 * its lease lasts. A node that begins a step claims the next in the same commit: so its name is there by the time it
 * gets to it.
 */
final class StepClaims {
    private final String node;
    private final SlotReservations reservations;
    private final WorkerSlots slots;
    private final StepQueue stepQueue;
    private final Leases leases;

    StepClaims(
            BridgeContext context,
            SlotReservations reservations,
            WorkerSlots slots,
            StepQueue stepQueue,
            Leases leases) {
        this.node = context.node();
        this.reservations = reservations;
        this.slots = slots;
        this.stepQueue = stepQueue;
        this.leases = leases;
    }

    /** Claims the current step for a worker that is free. {@return what is to be kept} */
    Kept claim(BridgeTransaction transaction, Kept now, Step step) {
        Kept out = stepQueue.leave(transaction, now);
        if (step.claim(node) instanceof Transition.To to) {
            StepRound round = WorkerSlots.round(step);
            reservations.claim(transaction.tx(), round);
            leases.begin(round);
            return out.with(to.document());
        }
        return out;
    }

    /**
     * Claims the step that follows one that begins here, unless others wait for this node's workers already. No worker
     * is kept for it: the one for this step will be free.
     */
    CompletableFuture<Transition> ahead(BridgeTransaction transaction, Transition begun, int index) {
        Optional<Step> next =
                begun instanceof Transition.To to ? to.document().step(index).next() : Optional.empty();
        if (next.isPresent() && next.get().claim(node) instanceof Transition.To both) {
            return slots.isSlotMissing(transaction).thenApply(isOneMissing -> {
                if (isOneMissing) {
                    return begun;
                }
                leases.begin(WorkerSlots.round(next.get()));
                return both;
            });
        }
        return CompletableFuture.completedFuture(begun);
    }

    /** Sees what has become of a claim on the current step, which has not begun, or has it claimed. */
    CompletableFuture<Kept> pursueClaim(BridgeTransaction transaction, Kept now, Step step) {
        StepRound round = WorkerSlots.round(step);
        if (step.progress().claimedBy().isEmpty()) {
            return CompletableFuture.completedFuture(stepQueue.enter(transaction, now));
        }
        Kept out = stepQueue.leave(transaction, now);
        Optional<String> winner = step.progress().winner();
        if (winner.isPresent() && !winner.get().equals(node)) {
            return free(transaction, round).thenApply(freed -> out);
        }
        boolean mayBegin = leases.holds(round);
        if (winner.isEmpty()) { // also when another's claim is seen: the creator may have seen only this node's
            return mayBegin
                    ? slots.keep(transaction, round).thenApply(kept -> out)
                    : CompletableFuture.completedFuture(out);
        }
        return (mayBegin ? slots.isKept(transaction, round) : CompletableFuture.completedFuture(false))
                .thenCompose(isKept ->
                        isKept ? slots.take(transaction, step).thenApply(taken -> out) : again(transaction, out, step));
    }

    /**
     * This node was named, and must not begin: it had claimed the step in a process that has ended, or too long ago, or
     * for a worker that has other things to do by now. Only the node that is named may take a claim back, and no other
     * node can be named meanwhile.
     */
    private CompletableFuture<Kept> again(BridgeTransaction transaction, Kept now, Step step) {
        if (!(step.withdraw() instanceof Transition.To to)) {
            return CompletableFuture.completedFuture(now);
        }
        Kept open = now.with(to.document());
        return free(transaction, WorkerSlots.round(step))
                .thenCompose(freed -> slots.isOneFree(transaction))
                .thenApply(isOneFree -> isOneFree
                        ? claim(transaction, open, to.document().step(step.index()))
                        : stepQueue.enter(transaction, open));
    }

    /** {@return whether this node may still begin what it has claimed} */
    boolean isFresh(Step step) {
        return leases.holds(WorkerSlots.round(step));
    }

    /** The worker that was kept for a step is free, whatever became of the step. */
    CompletableFuture<Void> free(BridgeTransaction transaction, StepRound round) {
        leases.end(round);
        return slots.free(transaction, round);
    }

    /** No answer comes any more. */
    CompletableFuture<Void> drop(BridgeTransaction transaction, Step step) {
        step.next().ifPresent(next -> leases.end(WorkerSlots.round(next)));
        return slots.freeIfClaimed(transaction, WorkerSlots.round(step));
    }

    /**
     * A claim was made by a process that has ended, or it has had no answer for too long: the worker is freed, and the
     * claim is made again if it is answered after all.
     */
    CompletableFuture<Void> look(BridgeTransaction transaction) {
        leases.forget();
        return reservations
                .claimed(transaction.tx())
                .thenCompose(claimed -> CompletableFuture.allOf(claimed.stream()
                        .filter(round -> !leases.holds(round))
                        .map(round -> slots.free(transaction, round))
                        .toArray(CompletableFuture<?>[]::new)));
    }
}
