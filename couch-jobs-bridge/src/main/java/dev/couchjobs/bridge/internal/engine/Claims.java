package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.engine.Assignment.Kept;
import dev.couchjobs.bridge.internal.ledger.Seats;
import dev.couchjobs.bridge.internal.ledger.Seats.Seat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What a node claims of documents that others have made, and what becomes of it. A claim can be made good only while
 * its lease lasts. A node that begins a step claims the next in the same commit: so its name is there by the time it
 * gets to it.
 */
final class Claims {
    private final String node;
    private final Seats seats;
    private final Workers workers;
    private final Line line;
    private final Leases leases;

    Claims(BridgeContext context, Seats seats, Workers workers, Line line, Leases leases) {
        this.node = context.node();
        this.seats = seats;
        this.workers = workers;
        this.line = line;
        this.leases = leases;
    }

    /** Claims the current step for a worker that is free. {@return what is to be kept} */
    Kept claim(Turn turn, Kept now, Step step) {
        Kept out = line.leave(turn, now);
        if (step.claim(node) instanceof Transition.To to) {
            Seat seat = Workers.seat(step);
            seats.claim(turn.tx(), seat);
            leases.begin(seat);
            return out.with(to.document());
        }
        return out;
    }

    /**
     * Claims the step that follows one that begins here, unless others wait for this node's workers already. No worker
     * is kept for it: the one for this step will be free.
     */
    CompletableFuture<Transition> ahead(Turn turn, Transition begun, int index) {
        Optional<Step> next =
                begun instanceof Transition.To to ? to.document().step(index).next() : Optional.empty();
        if (next.isPresent() && next.get().claim(node) instanceof Transition.To both) {
            return workers.isOneMissing(turn).thenApply(isOneMissing -> {
                if (isOneMissing) {
                    return begun;
                }
                leases.begin(Workers.seat(next.get()));
                return both;
            });
        }
        return CompletableFuture.completedFuture(begun);
    }

    /** Sees what has become of a claim on the current step, which has not begun, or has it claimed. */
    CompletableFuture<Kept> hope(Turn turn, Kept now, Step step) {
        Seat seat = Workers.seat(step);
        if (step.progress().claimedBy().isEmpty()) {
            return CompletableFuture.completedFuture(line.enter(turn, now));
        }
        Kept out = line.leave(turn, now);
        Optional<String> winner = step.progress().winner();
        if (winner.isPresent() && !winner.get().equals(node)) {
            return free(turn, seat).thenApply(freed -> out);
        }
        boolean mayBegin = leases.holds(seat);
        if (winner.isEmpty()) { // also when another's claim is seen: the creator may have seen only this node's
            return mayBegin ? workers.keep(turn, seat).thenApply(kept -> out) : CompletableFuture.completedFuture(out);
        }
        return (mayBegin ? workers.isKept(turn, seat) : CompletableFuture.completedFuture(false))
                .thenCompose(
                        isKept -> isKept ? workers.take(turn, step).thenApply(taken -> out) : again(turn, out, step));
    }

    /**
     * This node was named, and must not begin: it had claimed the step in a process that has ended, or too long ago, or
     * for a worker that has other things to do by now. Only the node that is named may take a claim back, and no other
     * node can be named meanwhile.
     */
    private CompletableFuture<Kept> again(Turn turn, Kept now, Step step) {
        if (!(step.withdraw() instanceof Transition.To to)) {
            return CompletableFuture.completedFuture(now);
        }
        Kept open = now.with(to.document());
        return free(turn, Workers.seat(step))
                .thenCompose(freed -> workers.isOneFree(turn))
                .thenApply(isOneFree ->
                        isOneFree ? claim(turn, open, to.document().step(step.index())) : line.enter(turn, open));
    }

    /** {@return whether this node may still begin what it has claimed} */
    boolean isFresh(Step step) {
        return leases.holds(Workers.seat(step));
    }

    /** The worker that was kept for a step is free, whatever became of the step. */
    CompletableFuture<Void> free(Turn turn, Seat seat) {
        leases.end(seat);
        return workers.free(turn, seat);
    }

    /** No answer comes any more. */
    CompletableFuture<Void> drop(Turn turn, Step step) {
        step.next().ifPresent(next -> leases.end(Workers.seat(next)));
        return workers.freeIfClaimed(turn, Workers.seat(step));
    }

    /**
     * A claim was made by a process that has ended, or it has had no answer for too long: the worker is freed, and the
     * claim is made anew if it is answered after all.
     */
    CompletableFuture<Void> look(Turn turn) {
        leases.forget();
        return seats.claimed(turn.tx())
                .thenCompose(claimed -> CompletableFuture.allOf(claimed.stream()
                        .filter(seat -> !leases.holds(seat))
                        .map(seat -> workers.free(turn, seat))
                        .toArray(CompletableFuture<?>[]::new)));
    }
}
