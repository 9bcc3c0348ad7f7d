package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Reads where jobs with a priority of their own wait. Like the pending queue it is read without conflicts.
 *
 * <p>First stand those that may run, the highest priority first and the oldest first within one; behind them, by time,
 * those whose scheduled time is or was still to come when they were put there. So one range read sees all that may run,
 * if it is not too much.
 */
public final class RankedQueue {
    /** How far those are looked for that stand behind many which are scheduled for later than they are wanted. */
    private static final int PAGES_MAX = 10;

    private static final int PAGE = 1_000;

    private RankedQueue() {}

    /**
     * {@return the first row: of those that may run the one with the highest priority, or else the one with the
     * earliest time}
     */
    public static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys) {
        Range range = new Range(keys.ranked().begin, keys.rankedLater().end);
        return Quarantine.range(tx, keys, range, 1, false, row -> decode(keys, row.getKey()))
                .thenApply(rows -> rows.stream().findFirst());
    }

    /** {@return all rows, due or not, if there are fewer than that} */
    public static CompletableFuture<Optional<List<QueueEntry>>> all(ReadTransaction tx, TypeKeys keys, int limit) {
        Range range = new Range(keys.ranked().begin, keys.rankedLater().end);
        return tx.snapshot()
                .getRange(range, limit)
                .asList()
                .thenApply(rows -> rows.size() < limit
                        ? Optional.of(Quarantine.readable(tx, keys, rows, row -> decode(keys, row.getKey())))
                        : Optional.empty());
    }

    /**
     * {@return the first rows up to a scheduled time: those in order of priority, and behind them those in order of
     * time}
     */
    public static CompletableFuture<List<QueueEntry>> head(ReadTransaction tx, TypeKeys keys, long latest, int limit) {
        return read(tx, keys, new Range(keys.ranked().begin, keys.rankedLaterUpTo(latest).end), latest, limit);
    }

    /** {@return of those in order of priority, up to a scheduled time, the first below a priority} */
    public static CompletableFuture<List<QueueEntry>> below(
            ReadTransaction tx, TypeKeys keys, int priority, long latest, int limit) {
        return read(tx, keys, keys.rankedBelow(priority), latest, limit);
    }

    /** {@return of those in order of time, up to a scheduled time, the first} */
    public static CompletableFuture<List<QueueEntry>> laterUpTo(
            ReadTransaction tx, TypeKeys keys, long latest, int limit) {
        return read(tx, keys, keys.rankedLaterUpTo(latest), latest, limit);
    }

    /** {@return the next scheduled time after it, if any job waits for one} */
    public static CompletableFuture<OptionalLong> nextAfter(ReadTransaction tx, TypeKeys keys, long scheduledTime) {
        return read(tx, keys, keys.rankedLaterAfter(scheduledTime), Long.MAX_VALUE, 1)
                .thenApply(rows ->
                        rows.stream().mapToLong(QueueEntry::scheduledTime).findFirst());
    }

    private static CompletableFuture<List<QueueEntry>> read(
            ReadTransaction tx, TypeKeys keys, Range range, long latest, int limit) {
        return read(tx, keys, range, latest, limit, limit, PAGES_MAX);
    }

    /** Jobs that are scheduled for later than they are wanted are passed over, within bounds. */
    private static CompletableFuture<List<QueueEntry>> read(
            ReadTransaction tx, TypeKeys keys, Range range, long latest, int limit, int page, int pages) {
        return tx.snapshot().getRange(range, page).asList().thenCompose(rows -> {
            List<QueueEntry> wanted = Quarantine.readable(tx, keys, rows, row -> decode(keys, row.getKey())).stream()
                    .filter(row -> row.scheduledTime() <= latest)
                    .limit(limit)
                    .toList();
            if (rows.size() < page || wanted.size() == limit || pages == 1) {
                return CompletableFuture.completedFuture(wanted);
            }
            byte[] next = ByteArrayUtil.keyAfter(rows.get(page - 1).getKey());
            return read(tx, keys, new Range(next, range.end), latest, limit - wanted.size(), PAGE, pages - 1)
                    .thenApply(more ->
                            Stream.concat(wanted.stream(), more.stream()).toList());
        });
    }

    static QueueEntry decode(TypeKeys keys, byte[] key) {
        Tuple place = keys.unpackRanked(key);
        return place.getLong(0) == TypeKeys.RANKED_NOW
                ? new QueueEntry(
                        key,
                        Keyspace.jobId(place, 4),
                        priority(place.getLong(1)),
                        place.getLong(2),
                        place.getLong(3),
                        true)
                : new QueueEntry(
                        key,
                        Keyspace.jobId(place, 3),
                        priority(place.getLong(2)),
                        QueueIndex.since(place.getLong(1)),
                        place.getLong(1),
                        false);
    }

    private static int priority(long rank) {
        return Math.toIntExact(-rank);
    }
}
