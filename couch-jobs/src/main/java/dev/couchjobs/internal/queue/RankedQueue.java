package dev.couchjobs.internal.queue;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Reads the ranked queue: the jobs whose priority is not 0. All reads are without conflicts.
 *
 * <p>The queue has two parts. The due part comes first: highest priority first, and oldest first within a priority. The
 * later part has the jobs whose scheduled time was to come when they were enqueued, by time. One range read therefore
 * returns all jobs that may run, up to its limit.
 */
public final class RankedQueue {
    /** All rows of the queue. */
    public static final JobIndex ROWS = new JobIndex() {
        @Override
        public Range range(TypeKeys keys) {
            return new Range(
                    QueueKeys.of(keys).rankedTurns().begin, QueueKeys.of(keys).rankedLater().end);
        }

        @Override
        public Statement decode(TypeKeys keys, KeyValue row) {
            return RankedQueue.decode(keys, row.getKey()).statement(keys);
        }
    };

    /** The maximum number of pages to read behind rows that are scheduled for later than the caller accepts. */
    private static final int PAGES_MAX = 10;

    private static final int PAGE = 1_000;

    private RankedQueue() {}

    /**
     * {@return the first row: a due job with a turn key, or else the due job with the highest priority, or else the job
     * with the earliest time}
     */
    public static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys) {
        return first(tx, keys, QueueKeys.of(keys).rankedTurns().begin).thenCompose(first -> {
            boolean mayBeEarly = first.filter(row -> isInTurn(keys, row) && row.scheduledTime() > 0)
                    .isPresent();
            return mayBeEarly
                    ? first(tx, keys, QueueKeys.of(keys).ranked().begin).thenApply(other -> earlier(first.get(), other))
                    : CompletableFuture.completedFuture(first);
        });
    }

    private static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys, byte[] begin) {
        Range range = new Range(begin, QueueKeys.of(keys).rankedLater().end);
        return Quarantine.range(tx, keys, range, 1, false, row -> decode(keys, row.getKey()))
                .thenApply(rows -> rows.stream().findFirst());
    }

    private static boolean isInTurn(TypeKeys keys, QueueEntry row) {
        return ByteArrayUtil.compareUnsigned(row.key(), QueueKeys.of(keys).rankedTurns().end) < 0;
    }

    /** A process whose clock is ahead may have moved a job into the turn part before its time. */
    private static Optional<QueueEntry> earlier(QueueEntry inTurn, Optional<QueueEntry> other) {
        return other.filter(row -> row.isDue() || row.scheduledTime() < inTurn.scheduledTime())
                .or(() -> Optional.of(inTurn));
    }

    /** {@return all rows of both parts, if there are fewer than the limit} */
    static CompletableFuture<Optional<List<QueueEntry>>> all(ReadTransaction tx, TypeKeys keys, int limit) {
        Range range =
                new Range(QueueKeys.of(keys).ranked().begin, QueueKeys.of(keys).rankedLater().end);
        return tx.snapshot()
                .getRange(range, limit)
                .asList()
                .thenApply(rows -> rows.size() < limit
                        ? Optional.of(Quarantine.readable(tx, keys, rows, row -> decode(keys, row.getKey())))
                        : Optional.empty());
    }

    /**
     * {@return the first rows up to a scheduled time: rows of the due part, then rows of the later part}
     */
    static CompletableFuture<List<QueueEntry>> head(ReadTransaction tx, TypeKeys keys, long latest, int limit) {
        return read(
                tx,
                keys,
                new Range(QueueKeys.of(keys).ranked().begin, QueueKeys.of(keys).rankedLaterUpTo(latest).end),
                latest,
                limit);
    }

    /** {@return the first rows of the due part below a priority, up to a scheduled time} */
    static CompletableFuture<List<QueueEntry>> below(
            ReadTransaction tx, TypeKeys keys, int priority, long latest, int limit) {
        return read(tx, keys, QueueKeys.of(keys).rankedBelow(priority), latest, limit);
    }

    /** {@return the first rows of the later part, up to a scheduled time} */
    static CompletableFuture<List<QueueEntry>> laterUpTo(ReadTransaction tx, TypeKeys keys, long latest, int limit) {
        return read(tx, keys, QueueKeys.of(keys).rankedLaterUpTo(latest), latest, limit);
    }

    /** {@return the next scheduled time after a time, if a job in the later part has one} */
    static CompletableFuture<OptionalLong> nextAfter(ReadTransaction tx, TypeKeys keys, long scheduledTime) {
        return read(tx, keys, QueueKeys.of(keys).rankedLaterAfter(scheduledTime), Long.MAX_VALUE, 1)
                .thenApply(rows ->
                        rows.stream().mapToLong(QueueEntry::scheduledTime).findFirst());
    }

    private static CompletableFuture<List<QueueEntry>> read(
            ReadTransaction tx, TypeKeys keys, Range range, long latest, int limit) {
        return read(tx, keys, range, latest, limit, limit, PAGES_MAX);
    }

    /** Skips jobs that are scheduled for after {@code latest}, up to a number of pages. */
    private static CompletableFuture<List<QueueEntry>> read(
            ReadTransaction tx, TypeKeys keys, Range range, long latest, int limit, int page, int pages) {
        return tx.snapshot().getRange(range, page).asList().thenCompose(rows -> {
            List<QueueEntry> accepted = Quarantine.readable(tx, keys, rows, row -> decode(keys, row.getKey())).stream()
                    .filter(row -> row.scheduledTime() <= latest)
                    .limit(limit)
                    .toList();
            if (rows.size() < page || accepted.size() == limit || pages == 1) {
                return CompletableFuture.completedFuture(accepted);
            }
            byte[] begin = ByteArrayUtil.keyAfter(rows.get(page - 1).getKey());
            return read(tx, keys, new Range(begin, range.end), latest, limit - accepted.size(), PAGE, pages - 1)
                    .thenApply(next ->
                            Stream.concat(accepted.stream(), next.stream()).toList());
        });
    }

    public static QueueEntry decode(TypeKeys keys, byte[] key) {
        Tuple path = QueueKeys.of(keys).unpackRanked(key);
        long part = path.getLong(0);
        if (part == QueueKeys.RANKED_LATER) {
            return new QueueEntry(
                    key,
                    Keyspace.jobId(path, 3),
                    priority(path.getLong(2)),
                    QueueIndex.since(path.getLong(1)),
                    path.getLong(1),
                    false);
        }
        int first = part == QueueKeys.RANKED_TURNS ? 2 : 1; // behind the turn key
        return new QueueEntry(
                key,
                Keyspace.jobId(path, first + 3),
                priority(path.getLong(first)),
                path.getLong(first + 1),
                path.getLong(first + 2),
                true);
    }

    private static int priority(long rank) {
        return Math.toIntExact(-rank);
    }
}
