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
 * The claims of this node on steps of other nodes' documents. A winner begins only while it holds the lease of its
 * claim. A node that begins a step claims the next one in the same commit, so the creator node can name the winner
 * meanwhile.
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

    /** Claims the current step for a free slot. {@return what to store} */
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
     * Claims the step after one that begins on this node, unless other steps already wait for its slots. The claim
     * reserves no slot, because the slot of this step will be free by then.
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

    /** Follows the claim on the current step, which has not begun. If no node claims the step, it enters the queue. */
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
        if (winner.isEmpty()) { // the creator node may have seen this node's claim only
            return mayBegin
                    ? slots.keep(transaction, round).thenApply(kept -> out)
                    : CompletableFuture.completedFuture(out);
        }
        return (mayBegin ? slots.isKept(transaction, round) : CompletableFuture.completedFuture(false))
                .thenCompose(isKept ->
                        isKept ? slots.take(transaction, step).thenApply(taken -> out) : again(transaction, out, step));
    }

    /**
     * Withdraws a round that this node has won and must not begin: an earlier process made the claim, or its lease has
     * ended, or another step has taken the slot. Only the winner may withdraw here, and no other node can win
     * meanwhile.
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

    /** {@return whether this node holds the lease of its claim on the step} */
    boolean isFresh(Step step) {
        return leases.holds(WorkerSlots.round(step));
    }

    /** Ends the lease on a step, and frees its slot. */
    CompletableFuture<Void> free(BridgeTransaction transaction, StepRound round) {
        leases.end(round);
        return slots.free(transaction, round);
    }

    /** Gives up the claims on an ended job: the creator node does not answer them. */
    CompletableFuture<Void> drop(BridgeTransaction transaction, Step step) {
        step.next().ifPresent(next -> leases.end(WorkerSlots.round(next)));
        return slots.freeIfClaimed(transaction, WorkerSlots.round(step));
    }

    /**
     * Frees the slots of claims that an earlier process made, or that the creator node did not answer in time. The node
     * claims again if a late answer names it.
     */
    CompletableFuture<Void> freeExpired(BridgeTransaction transaction) {
        leases.forget();
        return reservations
                .claimed(transaction.tx())
                .thenCompose(claimed -> CompletableFuture.allOf(claimed.stream()
                        .filter(round -> !leases.holds(round))
                        .map(round -> slots.free(transaction, round))
                        .toArray(CompletableFuture<?>[]::new)));
    }
}
