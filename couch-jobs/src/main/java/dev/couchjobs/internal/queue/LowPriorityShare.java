package dev.couchjobs.internal.queue;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Assigns a share of the claims to the priorities of due jobs in rotation, from highest to lowest. No priority is
 * starved.
 */
final class LowPriorityShare {
    /** The priority of all jobs in the pending queue. */
    private static final int PENDING = 0;

    private final TypeKeys keys;
    private final RandomGenerator random;
    /** The last priority of the rotation; empty if the highest one is next. */
    private volatile OptionalInt lastPriority = OptionalInt.empty();

    LowPriorityShare(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
    }

    /** The rows of a claim that belong to the low-priority share. */
    interface RotationPick {
        /**
         * Picks the rows.
         *
         * @param ranked the ranked rows that the claim has read
         * @param pending the rows of the pending queue that the claim has read
         */
        CompletableFuture<List<QueueEntry>> rows(List<QueueEntry> ranked, List<QueueEntry> pending);
    }

    /** Starts to read the rows of the next priority, if any job of this claim belongs to the low-priority share. */
    RotationPick pick(Transaction tx, Wanted wanted, long now, int demand) {
        int jobs = jobsOfShare(wanted.lowPriorityShare(), demand);
        if (jobs == 0) {
            return (ranked, pending) -> CompletableFuture.completedFuture(List.of());
        }
        OptionalInt previous = lastPriority;
        CompletableFuture<List<QueueEntry>> lowerRows = previous.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : RankedQueue.below(tx, keys, previous.getAsInt(), wanted.latest(now), jobs);
        return (ranked, pending) -> lowerRows.thenApply(lower -> rotate(previous, ranked, lower, pending, jobs));
    }

    /** The number of jobs in the share, rounded up or down at random, so that the share is exact on average. */
    private int jobsOfShare(double share, int demand) {
        if (share == 0) {
            return 0;
        }
        double exact = share * demand;
        int whole = (int) exact;
        return random.nextDouble() < exact - whole ? whole + 1 : whole;
    }

    private List<QueueEntry> rotate(
            OptionalInt previous, List<QueueEntry> ranked, List<QueueEntry> lower, List<QueueEntry> pending, int jobs) {
        List<Integer> priorities = Stream.of(ranked, lower, pending)
                .flatMap(List::stream)
                .map(QueueEntry::priority)
                .sorted(Comparator.reverseOrder())
                .toList();
        OptionalInt next = priorities.stream()
                .mapToInt(Integer::intValue)
                .filter(priority -> previous.isEmpty() || priority < previous.getAsInt())
                .findFirst();
        if (next.isEmpty() && !priorities.isEmpty()) {
            next = OptionalInt.of(priorities.get(0));
        }
        lastPriority = next;
        if (next.isEmpty()) {
            return List.of();
        }
        int priority = next.getAsInt();
        List<QueueEntry> readByClaim = priority == PENDING ? pending : ofPriority(ranked, priority);
        List<QueueEntry> rows = readByClaim.isEmpty() ? ofPriority(lower, priority) : readByClaim;
        return rows.subList(0, Math.min(jobs, rows.size()));
    }

    private static List<QueueEntry> ofPriority(List<QueueEntry> rows, int priority) {
        return rows.stream().filter(row -> row.priority() == priority).toList();
    }
}
