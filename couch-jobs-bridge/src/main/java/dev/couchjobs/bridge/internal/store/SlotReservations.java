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
 * The workers of a node that are spoken for, the documents that wait for one, and the steps that this node has given to
 * others, as far as they have not begun: for nodes that have nothing in common but replication.
 *
 * <pre>
 * slot,  id, step, round            a worker is kept for that step: claimed, or taken
 * queue,  -priority, since, id       a worker here may claim the document's current step
 * retries,  id, step, round            that step is run here and waits for its next try, without a worker: until when
 * due,   time, id, step, round      it does, and wants one from then on
 * granted, id, step, round            this node has named a winner who has not been seen to begin
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

    /** How a worker is spoken for. */
    public enum HoldKind {
        /** The node has claimed the step and does not know whether it will have it. */
        CLAIMED,
        /** The node runs the step, or will. */
        TAKEN,
        /** The node will try the step again, and keeps no worker for it before it is due. */
        RESTING
    }

    // Slots

    /**
     * {@return how many workers are spoken for, up to some number}
     *
     * @param now what is due by then will take a worker as soon as one is free
     */
    public CompletableFuture<Integer> count(ReadTransaction tx, int most, long now) {
        CompletableFuture<Integer> kept = size(tx, slots.range(), most);
        Range past = new Range(due.range().begin, due.pack(Tuple.from(now + 1)));
        return kept.thenCombine(size(tx, past, most), (workers, waiting) -> Math.min(workers + waiting, most));
    }

    private static CompletableFuture<Integer> size(ReadTransaction tx, Range range, int most) {
        return tx.getRange(range, most).asList().thenApply(List::size);
    }

    /** {@return how a worker is spoken for by a step, if one is} */
    public CompletableFuture<Optional<HoldKind>> hold(ReadTransaction tx, StepRound stepRound) {
        return tx.get(slots.pack(stepRound.tuple()))
                .thenCombine(tx.get(retries.pack(stepRound.tuple())), (kept, resting) -> {
                    if (kept != null) {
                        return Optional.of(kept[0] == CLAIMED[0] ? HoldKind.CLAIMED : HoldKind.TAKEN);
                    }
                    return Optional.ofNullable(resting).map(row -> HoldKind.RESTING);
                });
    }

    /** Keeps a worker for a step that the node has claimed. */
    public void claim(Transaction tx, StepRound stepRound) {
        tx.set(slots.pack(stepRound.tuple()), CLAIMED);
    }

    /** Keeps a worker for a step that the node runs. */
    public CompletableFuture<Void> take(Transaction tx, StepRound stepRound) {
        return free(tx, stepRound).thenRun(() -> tx.set(slots.pack(stepRound.tuple()), TAKEN));
    }

    /** Keeps a step that the node runs, and no worker before some time. */
    public CompletableFuture<Void> retries(Transaction tx, StepRound stepRound, long until) {
        return free(tx, stepRound).thenRun(() -> {
            tx.set(retries.pack(stepRound.tuple()), Tuple.from(until).pack());
            tx.set(due.pack(Tuple.from(until).addAll(stepRound.tuple())), NOTHING);
        });
    }

    /** Frees the worker that was kept for a step, if one was. */
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

    /** {@return all steps that the node has claimed} */
    public CompletableFuture<List<StepRound>> claimed(ReadTransaction tx) {
        return tx.getRange(slots.range())
                .asList()
                .thenApply(rows -> rows.stream()
                        .filter(row -> row.getValue()[0] == CLAIMED[0])
                        .map(row -> StepRound.of(slots.unpack(row.getKey())))
                        .toList());
    }

    // The line

    /** Has a document wait for a worker. */
    public void enter(Transaction tx, int priority, long since, String id) {
        tx.set(queue.pack(Tuple.from(-(long) priority, since, id)), NOTHING);
    }

    /** Has a document wait no longer. */
    public void leave(Transaction tx, int priority, long since, String id) {
        tx.clear(queue.pack(Tuple.from(-(long) priority, since, id)));
    }

    /** {@return the first that wait: those of the highest priority that there is, in the order in which they came} */
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

    // Given to others

    /** Notes that another node is to run a step. */
    public void give(Transaction tx, StepRound stepRound) {
        tx.set(granted.pack(stepRound.tuple()), NOTHING);
    }

    /** Notes that there is nothing to wait for any more. */
    public void settle(Transaction tx, StepRound stepRound) {
        tx.clear(granted.pack(stepRound.tuple()));
    }

    /** {@return all steps that others are to run and have not been seen to begin} */
    public CompletableFuture<List<StepRound>> granted(ReadTransaction tx) {
        return tx.getRange(granted.range())
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> StepRound.of(granted.unpack(row.getKey())))
                        .toList());
    }
}
