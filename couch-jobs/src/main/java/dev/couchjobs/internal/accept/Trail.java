package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.Queued;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Where in a queue the claims of one process go on while others claim there as well.
 *
 * <p>Alone, a process takes the head: first in, first out. Once it has met others, each claim goes on behind the one before,
 * so that all move forward side by side, each through a part of the queue in which it has read nothing but what it takes.
 * Whoever catches up with another meets a conflict, and leaps over a part of what is before it. So nobody needs to know how
 * many there are, and what a claim costs does not grow with their number.
 *
 * <p>What somebody leaps over is taken by those behind; and because they may have gone, everybody comes back to the head
 * from time to time.
 */
final class Trail {
    /** A process comes back to the head when it has taken so many times as many rows as it leaps over. */
    private static final int LEAPS_PER_TURN = 4;
    /** Where there are too few rows to leap, how many claims' worth is looked at to take some of them. */
    private static final int CLAIMS_IN_SIGHT = 4;

    private final TypeKeys keys;
    private final RandomGenerator random;

    // Guarded by this.
    /** The last row that was taken; none at the head. */
    private Optional<byte[]> place = Optional.empty();
    /** The first row of the last claim, which may yet turn out to be in conflict. */
    private Optional<byte[]> begin = Optional.empty();

    private int takenSinceHead;
    private boolean isToLeap;
    private boolean isAmple;

    Trail(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
    }

    /** Another claim begins. */
    synchronized void goOn(int spread) {
        isToLeap = false;
        if (takenSinceHead >= LEAPS_PER_TURN * spread) {
            backToHead();
        }
    }

    /** A claim has met another, and is tried again. */
    synchronized void leap() {
        isToLeap = begin.isPresent();
        place = begin;
    }

    /** Whether there were as many rows as were wanted, without going back to the head for them. */
    synchronized boolean isAmple() {
        return isAmple;
    }

    /**
     * The next rows: as many as are wanted unless there are no more.
     *
     * @param range all the rows of the queue
     * @param spread how far to leap at most
     */
    CompletableFuture<List<Queued>> rows(Transaction tx, Range range, int wanted, int spread) {
        Range ahead;
        int over;
        synchronized (this) {
            ahead = new Range(
                    place.filter(key -> Arrays.compareUnsigned(key, range.end) < 0)
                            .orElse(range.begin),
                    range.end);
            over = isToLeap ? wanted * (1 + random.nextInt(Math.max(1, spread / wanted))) : 0;
            isToLeap = false;
        }
        boolean isWhole = over == 0 && Arrays.equals(ahead.begin, range.begin);
        return PendingQueue.without(tx, ahead, over)
                .thenCompose(rest -> PendingQueue.read(tx, keys, rest, wanted))
                .thenCompose(rows -> {
                    boolean found = rows.size() == wanted;
                    return found || isWhole
                            ? CompletableFuture.completedFuture(begun(rows, found))
                            : fromHead(tx, range, wanted, spread);
                });
    }

    /** Nobody has far to go: takes some of what there is. */
    private CompletableFuture<List<Queued>> fromHead(Transaction tx, Range range, int wanted, int spread) {
        int slack = Math.min(spread, (CLAIMS_IN_SIGHT - 1) * wanted);
        return PendingQueue.read(tx, keys, range, wanted + slack).thenApply(rows -> {
            int from = random.nextInt(Math.max(0, rows.size() - wanted) + 1);
            return begun(rows.subList(from, Math.min(rows.size(), from + wanted)), false);
        });
    }

    private synchronized List<Queued> begun(List<Queued> rows, boolean ample) {
        begin = rows.stream().findFirst().map(Queued::key);
        isAmple = ample;
        return rows;
    }

    /** Tells which of them have been taken, in their order. */
    synchronized void took(List<Queued> rows) {
        if (!isAmple) {
            backToHead();
        } else if (!rows.isEmpty()) {
            place = Optional.of(rows.get(rows.size() - 1).key());
            takenSinceHead += rows.size();
        }
    }

    private void backToHead() {
        place = Optional.empty();
        takenSinceHead = 0;
    }
}
