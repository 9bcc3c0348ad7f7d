package dev.couchjobs.bridge.internal.ledger;

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
 * seat,  id, step, round            a worker is kept for that step: claimed, or taken
 * line,  -priority, since, id       a worker here may claim the document's current step
 * rest,  id, step, round            that step is run here and waits for its next try, without a worker: until when
 * due,   time, id, step, round      it does, and wants one from then on
 * given, id, step, round            this node has named a winner who has not been seen to begin
 * </pre>
 */
public final class Seats {
    private static final byte[] CLAIMED = {0};
    private static final byte[] TAKEN = {1};
    private static final byte[] NOTHING = {};

    private final Subspace seats;
    private final Subspace rest;
    private final Subspace due;
    private final Subspace line;
    private final Subspace given;

    public Seats(Subspace root) {
        seats = root.subspace(Tuple.from("seat"));
        rest = root.subspace(Tuple.from("rest"));
        due = root.subspace(Tuple.from("due"));
        line = root.subspace(Tuple.from("line"));
        given = root.subspace(Tuple.from("given"));
    }

    /**
     * One round of one step.
     *
     * @param document the document's id
     * @param step the step's index
     * @param round the round
     */
    public record Seat(String document, int step, int round) {
        private Tuple tuple() {
            return Tuple.from(document, step, round);
        }

        private static Seat of(Tuple tuple) {
            return new Seat(tuple.getString(0), Math.toIntExact(tuple.getLong(1)), Math.toIntExact(tuple.getLong(2)));
        }
    }

    /** How a worker is spoken for. */
    public enum Hold {
        /** The node has claimed the step and does not know whether it will have it. */
        CLAIMED,
        /** The node runs the step, or will. */
        TAKEN,
        /** The node will try the step again, and keeps no worker for it before it is due. */
        RESTING
    }

    // Seats

    /**
     * {@return how many workers are spoken for, up to some number}
     *
     * @param now what is due by then will take a worker as soon as one is free
     */
    public CompletableFuture<Integer> count(ReadTransaction tx, int most, long now) {
        CompletableFuture<Integer> kept = size(tx, seats.range(), most);
        Range past = new Range(due.range().begin, due.pack(Tuple.from(now + 1)));
        return kept.thenCombine(size(tx, past, most), (workers, waiting) -> Math.min(workers + waiting, most));
    }

    private static CompletableFuture<Integer> size(ReadTransaction tx, Range range, int most) {
        return tx.getRange(range, most).asList().thenApply(List::size);
    }

    /** {@return how a worker is spoken for by a step, if one is} */
    public CompletableFuture<Optional<Hold>> hold(ReadTransaction tx, Seat seat) {
        return tx.get(seats.pack(seat.tuple())).thenCombine(tx.get(rest.pack(seat.tuple())), (kept, resting) -> {
            if (kept != null) {
                return Optional.of(kept[0] == CLAIMED[0] ? Hold.CLAIMED : Hold.TAKEN);
            }
            return Optional.ofNullable(resting).map(row -> Hold.RESTING);
        });
    }

    /** Keeps a worker for a step that the node has claimed. */
    public void claim(Transaction tx, Seat seat) {
        tx.set(seats.pack(seat.tuple()), CLAIMED);
    }

    /** Keeps a worker for a step that the node runs. */
    public CompletableFuture<Void> take(Transaction tx, Seat seat) {
        return free(tx, seat).thenRun(() -> tx.set(seats.pack(seat.tuple()), TAKEN));
    }

    /** Keeps a step that the node runs, and no worker before some time. */
    public CompletableFuture<Void> rest(Transaction tx, Seat seat, long until) {
        return free(tx, seat).thenRun(() -> {
            tx.set(rest.pack(seat.tuple()), Tuple.from(until).pack());
            tx.set(due.pack(Tuple.from(until).addAll(seat.tuple())), NOTHING);
        });
    }

    /** Frees the worker that was kept for a step, if one was. */
    public CompletableFuture<Void> free(Transaction tx, Seat seat) {
        tx.clear(seats.pack(seat.tuple()));
        byte[] resting = rest.pack(seat.tuple());
        return tx.get(resting).thenAccept(until -> {
            if (until != null) {
                tx.clear(resting);
                tx.clear(due.pack(Tuple.fromBytes(until).addAll(seat.tuple())));
            }
        });
    }

    /** {@return all steps that the node has claimed} */
    public CompletableFuture<List<Seat>> claimed(ReadTransaction tx) {
        return tx.getRange(seats.range())
                .asList()
                .thenApply(rows -> rows.stream()
                        .filter(row -> row.getValue()[0] == CLAIMED[0])
                        .map(row -> Seat.of(seats.unpack(row.getKey())))
                        .toList());
    }

    // The line

    /** Has a document wait for a worker. */
    public void enter(Transaction tx, int priority, long since, String id) {
        tx.set(line.pack(Tuple.from(-(long) priority, since, id)), NOTHING);
    }

    /** Has a document wait no longer. */
    public void leave(Transaction tx, int priority, long since, String id) {
        tx.clear(line.pack(Tuple.from(-(long) priority, since, id)));
    }

    /** {@return the first that wait: those of the highest priority that there is, in the order in which they came} */
    public CompletableFuture<List<String>> first(ReadTransaction tx, int most) {
        return tx.getRange(line.range(), most).asList().thenApply(rows -> {
            List<Tuple> places =
                    rows.stream().map(row -> line.unpack(row.getKey())).toList();
            return places.stream()
                    .filter(place -> place.getLong(0) == places.get(0).getLong(0))
                    .map(place -> place.getString(2))
                    .toList();
        });
    }

    // Given to others

    /** Notes that another node is to run a step. */
    public void give(Transaction tx, Seat seat) {
        tx.set(given.pack(seat.tuple()), NOTHING);
    }

    /** Notes that there is nothing to wait for any more. */
    public void settle(Transaction tx, Seat seat) {
        tx.clear(given.pack(seat.tuple()));
    }

    /** {@return all steps that others are to run and have not been seen to begin} */
    public CompletableFuture<List<Seat>> given(ReadTransaction tx) {
        return tx.getRange(given.range())
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> Seat.of(given.unpack(row.getKey())))
                        .toList());
    }
}
