package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.RankedQueue;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Assigns a share of the claims to the waiting priorities in rotation, from highest to lowest. No priority is starved.
 */
final class LowPriorityShare {
    private static final int PENDING = 0;

    private final TypeKeys keys;
    private final RandomGenerator random;
    /** The priority that had the last turn; none, when the highest is the next. */
    private volatile OptionalInt last = OptionalInt.empty();

    LowPriorityShare(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
    }

    /** What is to be claimed out of the order of priorities, given the rows that were read anyway. */
    interface OutOfOrderPick {
        CompletableFuture<List<QueueEntry>> rows(List<QueueEntry> ranked, List<QueueEntry> pending);
    }

    /** Begins to read what only a turn needs; most claims have none, and then there is nothing to read. */
    OutOfOrderPick turn(Transaction tx, ClaimCriteria criteria, long now, int wanted) {
        int slots = slots(criteria.lowPriorityShare(), wanted);
        if (slots == 0) {
            return (ranked, pending) -> CompletableFuture.completedFuture(List.of());
        }
        OptionalInt before = last;
        CompletableFuture<List<QueueEntry>> below = before.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : RankedQueue.below(tx, keys, before.getAsInt(), criteria.latest(now), slots);
        return (ranked, pending) -> below.thenApply(more -> next(before, ranked, more, pending, slots));
    }

    /** Rounds up or down at random, so that the share holds on average. */
    private int slots(double share, int wanted) {
        if (share == 0) {
            return 0;
        }
        double exact = share * wanted;
        int whole = (int) exact;
        return random.nextDouble() < exact - whole ? whole + 1 : whole;
    }

    private List<QueueEntry> next(
            OptionalInt before, List<QueueEntry> ranked, List<QueueEntry> below, List<QueueEntry> pending, int slots) {
        List<Integer> waiting = Stream.of(ranked, below, pending)
                .flatMap(List::stream)
                .map(QueueEntry::priority)
                .sorted(Comparator.reverseOrder())
                .toList();
        OptionalInt next = waiting.stream()
                .mapToInt(Integer::intValue)
                .filter(priority -> before.isEmpty() || priority < before.getAsInt())
                .findFirst();
        if (next.isEmpty() && !waiting.isEmpty()) {
            next = OptionalInt.of(waiting.get(0));
        }
        last = next;
        if (next.isEmpty()) {
            return List.of();
        }
        int turn = next.getAsInt();
        List<QueueEntry> known = turn == PENDING ? pending : ofPriority(ranked, turn);
        List<QueueEntry> rows = known.isEmpty() ? ofPriority(below, turn) : known;
        return rows.subList(0, Math.min(slots, rows.size()));
    }

    private static List<QueueEntry> ofPriority(List<QueueEntry> rows, int priority) {
        return rows.stream().filter(row -> row.priority() == priority).toList();
    }
}
