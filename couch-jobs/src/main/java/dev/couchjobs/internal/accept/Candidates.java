package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.PendingQueue.Entry;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Picks the rows of the pending queue to try to claim. It reads without conflicts and within a bounded window.
 *
 * <p>Jobs without a scheduled time and jobs that have become due stand in the queue one behind the other. They are taken
 * by turns, so that a steady stream of the former does not keep the latter waiting for ever.
 */
final class Candidates {
    private final TypeKeys keys;
    private final RandomGenerator random;

    Candidates(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
    }

    /**
     * Up to {@code wanted} rows: of each kind a slice from a random place within {@code spread} rows of the head.
     *
     * @param now the present time in seconds since the epoch
     */
    CompletableFuture<List<Entry>> pick(Transaction tx, AcceptMode mode, long now, int wanted, int spread) {
        int window = wanted + spread;
        if (mode.noSchedule()) {
            String anywhere = Long.toHexString(random.nextLong());
            return PendingQueue.unscheduledFrom(tx, keys, anywhere, window).thenApply(rows -> slice(rows, wanted));
        }
        return PendingQueue.unscheduled(tx, keys, window)
                .thenCombine(
                        PendingQueue.scheduledUpTo(tx, keys, mode.latest(now), window),
                        (unscheduled, due) -> byTurns(slice(unscheduled, wanted), slice(due, wanted), wanted));
    }

    /** The next time at which time alone makes a job one to take. */
    CompletableFuture<OptionalLong> nextDue(Transaction tx, AcceptMode mode, long now) {
        return mode.followsClock()
                ? PendingQueue.nextAfter(tx, keys, mode.latest(now))
                : CompletableFuture.completedFuture(OptionalLong.empty());
    }

    private List<Entry> slice(List<Entry> rows, int wanted) {
        int slack = rows.size() - wanted;
        if (slack <= 0) {
            return rows;
        }
        int from = random.nextInt(slack + 1);
        return rows.subList(from, from + wanted);
    }

    private List<Entry> byTurns(List<Entry> unscheduled, List<Entry> due, int wanted) {
        if (unscheduled.isEmpty() || due.isEmpty()) {
            return due.isEmpty() ? unscheduled : due;
        }
        boolean dueFirst = random.nextBoolean();
        List<Entry> first = dueFirst ? due : unscheduled;
        List<Entry> second = dueFirst ? unscheduled : due;
        List<Entry> picked = new ArrayList<>(wanted);
        for (int i = 0; picked.size() < wanted && i < Math.max(first.size(), second.size()); i++) {
            if (i < first.size()) {
                picked.add(first.get(i));
            }
            if (i < second.size() && picked.size() < wanted) {
                picked.add(second.get(i));
            }
        }
        return picked;
    }
}
