package dev.couchjobs.internal.queue;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * The position in a queue from which one process claims while other processes claim there as well.
 *
 * <p>Without competition, a process claims at the head: first in, first out. After a conflict with another process,
 * each claim starts behind the previous one. All processes then advance in parallel, and each reads only the rows that
 * it claims. A process that catches up with another meets a conflict, and skips rows ahead of it. So no process needs
 * to know how many there are.
 *
 * <p>The processes behind claim the skipped rows. Because these processes may have ended, each process returns to the
 * head every second, and earlier if it skips only few rows.
 */
final class QueueCursor {
    private static final Duration HEAD_INTERVAL = Duration.ofSeconds(1);
    /** A process returns to the head early when it has claimed this many times as many rows as it skips. */
    private static final int SKIP_DISTANCES_MAX = 4;

    private final TypeKeys keys;
    private final RandomGenerator random;

    private final SkipDistance skipDistance = new SkipDistance();

    /** The key from which the next try reads; empty at the head. */
    @GuardedBy("this") private Optional<byte[]> position = Optional.empty();

    /** When a claim last returned to the head. */
    @GuardedBy("this") private Instant lastReturn = Instant.EPOCH;

    @GuardedBy("this") private int claimedSinceHead;

    /** The key of the first row that this try has picked. */
    @GuardedBy("this") private Optional<byte[]> tryPosition = Optional.empty();

    @GuardedBy("this") private int claimedInTry;

    /** Whether the next read skips rows. */
    @GuardedBy("this") private boolean isToSkip;

    /** Whether the last read returned as many rows as it requested. */
    @GuardedBy("this") private boolean hasSurplus;

    QueueCursor(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
    }

    /** Begins a claim. */
    synchronized void beginClaim(Instant now) {
        skipDistance.shrink();
        boolean isTime = Duration.between(lastReturn, now).abs().compareTo(HEAD_INTERVAL) >= 0;
        if (isTime || claimedSinceHead >= SKIP_DISTANCES_MAX * skipDistance.rows()) {
            returnToHead();
            lastReturn = now;
        }
        beginTry(false);
    }

    /** Begins another try of a claim after a conflict. It skips rows if the last try would have claimed some. */
    synchronized void retryAfterConflict() {
        if (claimedInTry > 0) {
            skipDistance.grow(claimedInTry);
        }
        position = tryPosition;
        beginTry(claimedInTry > 0);
    }

    /** Begins another try of a claim, where the last try began. */
    synchronized void retry() {
        position = tryPosition.or(() -> position); // a try that failed before it picked rows did not move the position
        beginTry(false);
    }

    @GuardedBy("this") private void beginTry(boolean skips) {
        tryPosition = Optional.empty();
        claimedInTry = 0;
        isToSkip = skips;
    }

    /** Whether this try left other rows in the queue, so that other processes need not claim the same ones. */
    synchronized boolean hasSurplus() {
        return claimedInTry == 0 || hasSurplus;
    }

    /**
     * Reads the next rows: as many as are demanded, unless the queue has fewer.
     *
     * @param queue the range of all rows of the queue
     */
    CompletableFuture<List<QueueEntry>> read(Transaction tx, Range queue, int demand) {
        byte[] from;
        int skip;
        synchronized (this) {
            from = position.filter(key -> Arrays.compareUnsigned(key, queue.end) < 0)
                    .orElse(queue.begin);
            skip = isToSkip ? demand * (1 + random.nextInt(Math.max(1, skipDistance.rows() / demand))) : 0;
            isToSkip = false;
        }
        boolean isWholeQueue = skip == 0 && Arrays.equals(from, queue.begin);
        return PendingQueue.keyValues(tx, new Range(from, queue.end), skip + demand)
                .thenCompose(rows -> {
                    int skipped = Math.min(skip, (rows.size() / demand - 1) * demand);
                    boolean isEnough = skip > 0 ? skipped > 0 : rows.size() == demand;
                    return isEnough || isWholeQueue
                            ? decode(
                                    tx,
                                    queue,
                                    demand,
                                    slice(rows, Math.max(0, skipped), demand, isEnough && skipped == skip))
                            : readFromHead(tx, queue, demand);
                });
    }

    /**
     * Picks rows from a queue that was read as a whole: the first ones, or after conflicts some at random.
     *
     * @param rows all rows of the queue
     * @return as many as are demanded, unless the queue has fewer
     */
    synchronized List<QueueEntry> pickFrom(List<QueueEntry> rows, int demand) {
        isToSkip = false;
        hasSurplus = false;
        int slack = Math.min(skipDistance.rows(), rows.size() - demand);
        int from = slack > 0 ? random.nextInt(slack + 1) : 0;
        List<QueueEntry> picked = rows.subList(from, Math.min(rows.size(), from + demand));
        if (tryPosition.isEmpty() && !picked.isEmpty()) {
            tryPosition = Optional.of(picked.get(0).key());
        }
        return picked;
    }

    /** Decodes rows. A row that cannot be decoded is removed, and then the rows behind it are read in its place. */
    private CompletableFuture<List<QueueEntry>> decode(Transaction tx, Range queue, int demand, List<KeyValue> rows) {
        List<QueueEntry> decoded = PendingQueue.rows(tx, keys, rows);
        return decoded.size() == rows.size() ? CompletableFuture.completedFuture(decoded) : read(tx, queue, demand);
    }

    /** Reads from the head, because there are too few rows ahead, and picks some of these rows at random. */
    private CompletableFuture<List<QueueEntry>> readFromHead(Transaction tx, Range queue, int demand) {
        int limit = skipDistance.rows() + demand;
        return PendingQueue.keyValues(tx, queue, limit).thenCompose(rows -> {
            skipDistance.limit(rows.size());
            int from = random.nextInt(Math.max(0, rows.size() - demand) + 1);
            return decode(tx, queue, demand, slice(rows, from, demand, false));
        });
    }

    private synchronized List<KeyValue> slice(List<KeyValue> rows, int from, int demand, boolean surplus) {
        List<KeyValue> picked = rows.subList(from, Math.min(rows.size(), from + demand));
        if (tryPosition.isEmpty() && !picked.isEmpty()) {
            tryPosition = Optional.of(picked.get(0).getKey());
        }
        hasSurplus = surplus;
        return picked;
    }

    /** Records the rows that this try claims, in the order of the queue. */
    synchronized void recordClaimed(List<QueueEntry> rows) {
        claimedInTry += rows.size();
        if (!hasSurplus) {
            returnToHead();
        } else if (!rows.isEmpty()) {
            position = Optional.of(rows.get(rows.size() - 1).key());
            claimedSinceHead += rows.size();
        }
    }

    @GuardedBy("this") private void returnToHead() {
        position = Optional.empty();
        claimedSinceHead = 0;
    }
}
