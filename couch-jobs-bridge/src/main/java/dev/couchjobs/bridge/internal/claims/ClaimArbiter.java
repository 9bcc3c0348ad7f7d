package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.store.SlotReservations.StepRound;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * On the creator node of a document: names the winners of its steps, and withdraws the claim of a winner that does not
 * begin in time.
 */
final class ClaimArbiter {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimArbiter.class);

    private final String node;
    private final SlotReservations reservations;
    private final StepQueue stepQueue;
    private final TickCounter ticks;
    private final int patience;
    /** The tick at which this process first saw a step without a beginning. */
    private final Map<StepRound, Long> since = new ConcurrentHashMap<>();

    /** @param patience how many ticks a winner has to begin a step */
    ClaimArbiter(String node, SlotReservations reservations, StepQueue stepQueue, TickCounter ticks, int patience) {
        this.node = node;
        this.reservations = reservations;
        this.stepQueue = stepQueue;
        this.ticks = ticks;
        this.patience = patience;
    }

    /** Decides about the current step, which has not begun and which this node does not run. {@return what to store} */
    Kept decide(BridgeTransaction transaction, Kept now, Step step) {
        StepRound round = WorkerSlots.round(step);
        Optional<String> winner = step.progress().winner();
        if (winner.isPresent() && isOverdue(round) && step.withdraw() instanceof Transition.To open) {
            LOG.warn(
                    "Node {}: node {} has won job[{}] of document {} and has not begun it in time; its claim is"
                            + " withdrawn",
                    node,
                    winner.get(),
                    step.index(),
                    OneLine.of(round.document()));
            settle(transaction, round);
            return stepQueue.enter(transaction, now.with(open.document()));
        }
        if (step.progress().claimedBy().isEmpty()) {
            return stepQueue.enter(transaction, now);
        }
        reservations.give(transaction.tx(), round);
        return stepQueue.leave(transaction, named(now, step));
    }

    /**
     * Names the winner of the step after one that has begun, so that the winner continues without a pause. {@return
     * what to store}
     */
    Kept ahead(Kept now, Step begun) {
        return begun.next().map(next -> named(now, next)).orElse(now);
    }

    private static Kept named(Kept now, Step step) {
        return step.progress()
                .claimedBy()
                .flatMap(node ->
                        step.assignWinner(node) instanceof Transition.To to ? Optional.of(to) : Optional.empty())
                .map(to -> now.with(to.document()))
                .orElse(now);
    }

    /** Ends the wait for the winner of a step that has begun, or never will. */
    void settle(BridgeTransaction transaction, StepRound round) {
        reservations.settle(transaction.tx(), round);
        transaction.afterwards(() -> since.remove(round)); // a document with the same id may be created again
    }

    private boolean isOverdue(StepRound round) {
        Long first = since.get(round);
        return first != null && ticks.now() - first >= patience;
    }

    /** Reviews the documents whose winner has not begun in time. */
    CompletableFuture<Void> reviewOverdue(BridgeTransaction transaction) {
        return reservations.granted(transaction.tx()).thenAccept(given -> {
            since.keySet().retainAll(Set.copyOf(given));
            for (StepRound round : given) {
                since.putIfAbsent(round, ticks.now());
                if (isOverdue(round)) {
                    reservations.settle(transaction.tx(), round);
                    transaction.review(round.document());
                }
            }
        });
    }
}
