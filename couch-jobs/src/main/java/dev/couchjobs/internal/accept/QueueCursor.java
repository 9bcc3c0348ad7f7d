package dev.couchjobs.internal.accept;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.TypeKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Where in a queue the claims of one process go on while others claim there as well.
 *
 * <p>Alone, a process takes the head: first in, first out. After a conflict with another process, each claim starts
 * behind the previous one. All processes then advance in parallel, and each reads only the rows that it claims. A
 * process that catches up with another meets a conflict, and leaps over a part of what is before it. So no process
 * needs to know how many there are.
 *
 * <p>What a process leaps over is taken by those behind; and because they may have gone, each process comes back to the
 * head every second, and sooner when it is not far.
 */
final class QueueCursor {
    private static final Duration TURN = Duration.ofSeconds(1);
    /** A process comes back to the head when it has taken so many times as many rows as it leaps over. */
    private static final int LEAPS_PER_TURN = 4;

    private final TypeKeys keys;
    private final RandomGenerator random;

    private final SkipDistance skipDistance = new SkipDistance();

    /** The last row that was taken; none at the head. */
    @GuardedBy("this") private Optional<byte[]> place = Optional.empty();

    @GuardedBy("this") private Instant turn = Instant.EPOCH;

    @GuardedBy("this") private int takenInTurn;

    /** The first row that this try has looked at. */
    @GuardedBy("this") private Optional<byte[]> begin = Optional.empty();

    @GuardedBy("this") private int takenInTry;

    @GuardedBy("this") private boolean isToLeap;

    @GuardedBy("this") private boolean hasSurplus;

    QueueCursor(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
    }

    /** Another claim begins. */
    synchronized void goOn(Instant now) {
        skipDistance.undisturbed();
        boolean isTime = Duration.between(turn, now).abs().compareTo(TURN) >= 0;
        if (isTime || takenInTurn >= LEAPS_PER_TURN * skipDistance.rows()) {
            backToHead();
            turn = now;
        }
        beginTry(false);
    }

    /** A claim has met another, and is tried again. */
    synchronized void conflicted() {
        if (takenInTry > 0) {
            skipDistance.conflicted(takenInTry);
        }
        place = begin;
        beginTry(takenInTry > 0);
    }

    /** A claim is tried again without a conflict. */
    synchronized void again() {
        place = begin.or(() -> place); // a try that has failed before it chose anything was where this one begins
        beginTry(false);
    }

    @GuardedBy("this") private void beginTry(boolean leaps) {
        begin = Optional.empty();
        takenInTry = 0;
        isToLeap = leaps;
    }

    /** Whether what this try has taken was there in such numbers that others need not want the same. */
    synchronized boolean hasSurplus() {
        return takenInTry == 0 || hasSurplus;
    }

    /**
     * The next rows: as many as are wanted unless there are no more.
     *
     * @param range all the rows of the queue
     */
    CompletableFuture<List<QueueEntry>> rows(Transaction tx, Range range, int wanted) {
        byte[] from;
        int over;
        synchronized (this) {
            from = place.filter(key -> Arrays.compareUnsigned(key, range.end) < 0)
                    .orElse(range.begin);
            over = isToLeap ? wanted * (1 + random.nextInt(Math.max(1, skipDistance.rows() / wanted))) : 0;
            isToLeap = false;
        }
        boolean isWhole = over == 0 && Arrays.equals(from, range.begin);
        return PendingQueue.places(tx, new Range(from, range.end), over + wanted)
                .thenCompose(places -> {
                    int leaps = Math.min(over, (places.size() / wanted - 1) * wanted);
                    boolean isEnough = over > 0 ? leaps > 0 : places.size() == wanted;
                    return isEnough || isWhole
                            ? decoded(
                                    tx,
                                    range,
                                    wanted,
                                    chosen(places, Math.max(0, leaps), wanted, isEnough && leaps == over))
                            : fromHead(tx, range, wanted);
                });
    }

    /** {@return as many as are wanted of all rows there are} The first while no other claims are met. */
    synchronized List<QueueEntry> of(List<QueueEntry> all, int wanted) {
        isToLeap = false;
        hasSurplus = false;
        int slack = Math.min(skipDistance.rows(), all.size() - wanted);
        int from = slack > 0 ? random.nextInt(slack + 1) : 0;
        List<QueueEntry> some = all.subList(from, Math.min(all.size(), from + wanted));
        if (begin.isEmpty() && !some.isEmpty()) {
            begin = Optional.of(some.get(0).key());
        }
        return some;
    }

    /** A row that cannot be decoded is out of the way then. Others may stand behind it, so they are looked for. */
    private CompletableFuture<List<QueueEntry>> decoded(
            Transaction tx, Range range, int wanted, List<KeyValue> places) {
        List<QueueEntry> rows = PendingQueue.rows(tx, keys, places);
        return rows.size() == places.size() ? CompletableFuture.completedFuture(rows) : rows(tx, range, wanted);
    }

    /** What is ahead does not suffice: takes some of all there is. */
    private CompletableFuture<List<QueueEntry>> fromHead(Transaction tx, Range range, int wanted) {
        int most = skipDistance.rows() + wanted;
        return PendingQueue.places(tx, range, most).thenCompose(places -> {
            skipDistance.limit(places.size());
            int from = random.nextInt(Math.max(0, places.size() - wanted) + 1);
            return decoded(tx, range, wanted, chosen(places, from, wanted, false));
        });
    }

    private synchronized List<KeyValue> chosen(List<KeyValue> places, int from, int wanted, boolean ample) {
        List<KeyValue> some = places.subList(from, Math.min(places.size(), from + wanted));
        if (begin.isEmpty() && !some.isEmpty()) {
            begin = Optional.of(some.get(0).getKey());
        }
        hasSurplus = ample;
        return some;
    }

    /** Returns which of them are being claimed, in their order. */
    synchronized void took(List<QueueEntry> rows) {
        takenInTry += rows.size();
        if (!hasSurplus) {
            backToHead();
        } else if (!rows.isEmpty()) {
            place = Optional.of(rows.get(rows.size() - 1).key());
            takenInTurn += rows.size();
        }
    }

    @GuardedBy("this") private void backToHead() {
        place = Optional.empty();
        takenInTurn = 0;
    }
}
