package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.engine.Assignment.Kept;
import dev.couchjobs.bridge.internal.ledger.Seats;
import dev.couchjobs.bridge.internal.ledger.Seats.Seat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * On the node where a document was made: names the nodes that run its steps, and takes a name back if nothing is heard
 * of that node.
 */
final class Winners {
    private static final Logger LOG = LoggerFactory.getLogger(Winners.class);

    private final String node;
    private final Seats seats;
    private final Line line;
    private final Ticks ticks;
    private final int patience;
    /** When what was given to others was looked at first. */
    private final Map<Seat, Long> since = new ConcurrentHashMap<>();

    /** @param patience for how long a step may be given to a node and not begin, in ticks */
    Winners(String node, Seats seats, Line line, Ticks ticks, int patience) {
        this.node = node;
        this.seats = seats;
        this.line = line;
        this.ticks = ticks;
        this.patience = patience;
    }

    /** Decides on the current step, which has not begun and is not this node's. {@return what is to be kept} */
    Kept decide(Turn turn, Kept now, Step step) {
        Seat seat = Workers.seat(step);
        Optional<String> winner = step.progress().winner();
        if (winner.isPresent() && isOverdue(seat) && step.withdraw() instanceof Transition.To open) {
            LOG.warn(
                    "Node {}: nothing was heard of {} since it was to run job[{}] of document {}; its claim is"
                            + " withdrawn",
                    node,
                    winner.get(),
                    step.index(),
                    OneLine.of(seat.document()));
            settle(turn, seat);
            return line.enter(turn, now.with(open.document()));
        }
        if (step.progress().claimedBy().isEmpty()) {
            return line.enter(turn, now);
        }
        seats.give(turn.tx(), seat);
        return line.leave(turn, named(now, step));
    }

    /**
     * Names the node that is to run the step after one that has begun, so that it can go on at once.
     * {@return what is to be kept}
     */
    Kept ahead(Kept now, Step begun) {
        return begun.next().map(next -> named(now, next)).orElse(now);
    }

    private static Kept named(Kept now, Step step) {
        return step.progress()
                .claimedBy()
                .flatMap(node -> step.win(node) instanceof Transition.To to ? Optional.of(to) : Optional.empty())
                .map(to -> now.with(to.document()))
                .orElse(now);
    }

    /** A step has begun, or never will: there is nothing to wait for any more. */
    void settle(Turn turn, Seat seat) {
        seats.settle(turn.tx(), seat);
        turn.afterwards(() -> since.remove(seat)); // it may be given once more if its document is made anew
    }

    private boolean isOverdue(Seat seat) {
        Long first = since.get(seat);
        return first != null && ticks.now() - first >= patience;
    }

    /** Has steps decided on anew whose nodes have been silent for too long. */
    CompletableFuture<Void> look(Turn turn) {
        return seats.given(turn.tx()).thenAccept(given -> {
            since.keySet().retainAll(Set.copyOf(given));
            for (Seat seat : given) {
                since.putIfAbsent(seat, ticks.now());
                if (isOverdue(seat)) {
                    seats.settle(turn.tx(), seat);
                    turn.review(seat.document());
                }
            }
        });
    }
}
