package dev.couchjobs.bridge.internal.store;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The worker slots that a node has reserved, the documents that wait for one, and the steps for which this node has
 * named a winner that has not begun. For nodes that replicate.
 *
 * <pre>
 * slot,    id, step, round         a slot is reserved for that step: claimed, or taken
 * queue,   -priority, since, id    the document waits for a slot
 * retry,   id, step, round         that step waits for its next try until a time, without a slot
 * due,     time, id, step, round   the same by time; the step needs a slot from then on
 * granted, id, step, round         a winner was named that has not begun
 * </pre>
 */
public final class SlotReservations {
    private static final byte[] CLAIMED = {0};
    private static final byte[] TAKEN = {1};
    private static final byte[] NOTHING = {};

    private final Subspace slots;
    private final Subspace retries;
    private final Subspace due;
    private final Subspace queue;
    private final Subspace granted;

    public SlotReservations(Subspace root) {
        slots = root.subspace(Tuple.from("slot"));
        retries = root.subspace(Tuple.from("retry"));
        due = root.subspace(Tuple.from("due"));
        queue = root.subspace(Tuple.from("queue"));
        granted = root.subspace(Tuple.from("granted"));
    }

    /**
     * One round of one step.
     *
     * @param document the document's id
     * @param step the step's index
     * @param round the round
     */
    public record StepRound(String document, int step, int round) {
        private Tuple tuple() {
            return Tuple.from(document, step, round);
        }

        private static StepRound of(Tuple tuple) {
            return new StepRound(
                    tuple.getString(0), Math.toIntExact(tuple.getLong(1)), Math.toIntExact(tuple.getLong(2)));
        }
    }

    /** How a step holds a slot. */
    public enum HoldKind {
        /** The node has claimed the step, and no winner is known. */
        CLAIMED,
        /** The node runs the step, or will run it. */
        TAKEN,
        /** The step waits for its next try, without a slot. */
        RESTING
    }

    // Slots

    /**
     * {@return the number of reserved slots, up to a limit}
     *
     * @param now retries that are due at this time count as well
     */
    public CompletableFuture<Integer> count(ReadTransaction tx, int most, long now) {
        CompletableFuture<Integer> kept = size(tx, slots.range(), most);
        Range past = new Range(due.range().begin, due.pack(Tuple.from(now + 1)));
        return kept.thenCombine(size(tx, past, most), (workers, waiting) -> Math.min(workers + waiting, most));
    }

    private static CompletableFuture<Integer> size(ReadTransaction tx, Range range, int most) {
        return tx.getRange(range, most).asList().thenApply(List::size);
    }

    /** {@return how a step holds a slot, if it does} */
    public CompletableFuture<Optional<HoldKind>> hold(ReadTransaction tx, StepRound stepRound) {
        return tx.get(slots.pack(stepRound.tuple()))
                .thenCombine(tx.get(retries.pack(stepRound.tuple())), (kept, resting) -> {
                    if (kept != null) {
                        return Optional.of(kept[0] == CLAIMED[0] ? HoldKind.CLAIMED : HoldKind.TAKEN);
                    }
                    return Optional.ofNullable(resting).map(row -> HoldKind.RESTING);
                });
    }

    /** Reserves a slot for a claimed step. */
    public void claim(Transaction tx, StepRound stepRound) {
        tx.set(slots.pack(stepRound.tuple()), CLAIMED);
    }

    /** Reserves a slot for a step that this node runs. */
    public CompletableFuture<Void> take(Transaction tx, StepRound stepRound) {
        return free(tx, stepRound).thenRun(() -> tx.set(slots.pack(stepRound.tuple()), TAKEN));
    }

    /** Frees the slot of a step that waits for its next try until a time. */
    public CompletableFuture<Void> retries(Transaction tx, StepRound stepRound, long until) {
        return free(tx, stepRound).thenRun(() -> {
            tx.set(retries.pack(stepRound.tuple()), Tuple.from(until).pack());
            tx.set(due.pack(Tuple.from(until).addAll(stepRound.tuple())), NOTHING);
        });
    }

    /** Frees the slot of a step, if it holds one. */
    public CompletableFuture<Void> free(Transaction tx, StepRound stepRound) {
        tx.clear(slots.pack(stepRound.tuple()));
        byte[] resting = retries.pack(stepRound.tuple());
        return tx.get(resting).thenAccept(until -> {
            if (until != null) {
                tx.clear(resting);
                tx.clear(due.pack(Tuple.fromBytes(until).addAll(stepRound.tuple())));
            }
        });
    }

    /** {@return the claimed steps} */
    public CompletableFuture<List<StepRound>> claimed(ReadTransaction tx) {
        return tx.getRange(slots.range())
                .asList()
                .thenApply(rows -> rows.stream()
                        .filter(row -> row.getValue()[0] == CLAIMED[0])
                        .map(row -> StepRound.of(slots.unpack(row.getKey())))
                        .toList());
    }

    // Queue

    /** Adds a document to the queue. */
    public void enter(Transaction tx, int priority, long since, String id) {
        tx.set(queue.pack(Tuple.from(-(long) priority, since, id)), NOTHING);
    }

    /** Removes a document from the queue. */
    public void leave(Transaction tx, int priority, long since, String id) {
        tx.clear(queue.pack(Tuple.from(-(long) priority, since, id)));
    }

    /** {@return the first documents in the queue: of the highest priority, in the order of their entry} */
    public CompletableFuture<List<String>> first(ReadTransaction tx, int most) {
        return tx.getRange(queue.range(), most).asList().thenApply(rows -> {
            List<Tuple> places =
                    rows.stream().map(row -> queue.unpack(row.getKey())).toList();
            return places.stream()
                    .filter(place -> place.getLong(0) == places.get(0).getLong(0))
                    .map(place -> place.getString(2))
                    .toList();
        });
    }

    // Winners

    /** Adds a step with a winner on another node. */
    public void give(Transaction tx, StepRound stepRound) {
        tx.set(granted.pack(stepRound.tuple()), NOTHING);
    }

    /** Removes a step that has begun, or never will. */
    public void settle(Transaction tx, StepRound stepRound) {
        tx.clear(granted.pack(stepRound.tuple()));
    }

    /** {@return the steps with a winner that has not begun} */
    public CompletableFuture<List<StepRound>> granted(ReadTransaction tx) {
        return tx.getRange(granted.range())
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> StepRound.of(granted.unpack(row.getKey())))
                        .toList());
    }
}
