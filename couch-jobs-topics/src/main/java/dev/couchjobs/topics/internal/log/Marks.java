package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiPredicate;

/**
 * The marks of a topic's partitions. They give a place in the log its time and its number, which offsets do not have:
 * versions of a cluster jump, so time is never computed from them.
 */
public final class Marks {
    /** Between two marks of a partition, while messages are appended. */
    public static final Duration SPACING = Duration.ofMinutes(1);

    private final LogKeys keys;
    /** When this process last looked whether a mark is due. */
    private final ConcurrentMap<Integer, Instant> looked = new ConcurrentHashMap<>();

    Marks(LogKeys keys) {
        this.keys = keys;
    }

    /**
     * Leaves a mark, if the partition has had none for some time. All reads begin before this returns: what the caller
     * adds to the tail after that is not in the mark.
     */
    CompletableFuture<Void> markIfDue(Transaction tx, int partition, Instant now) {
        if (AppendOrder.hasAppended(tx) || !isDue(partition, now)) {
            return CompletableFuture.completedFuture(null);
        }
        return mark(
                tx,
                partition,
                now,
                (last, mark) ->
                        last.filter(before -> isRecent(before.time(), now)).isEmpty());
    }

    /**
     * Leaves a mark if messages were appended since the last one, however long ago that was, or if the last one is of a
     * clock that is ahead, which would keep them until that time.
     */
    CompletableFuture<Void> markRest(Transaction tx, int partition, Instant now) {
        return mark(
                tx,
                partition,
                now,
                (last, mark) -> last.map(before -> !isRecent(before.time(), now)
                                && (before.amount().messages() < mark.amount().messages()
                                        || before.time().isAfter(now)))
                        .orElse(mark.amount().messages() > 0));
    }

    /** @param isWanted decides by the last mark and the new one */
    private CompletableFuture<Void> mark(
            Transaction tx, int partition, Instant now, BiPredicate<Optional<Mark>, Mark> isWanted) {
        CompletableFuture<Optional<Mark>> last = last(tx, keys.marks(partition));
        CompletableFuture<byte[]> tail = tx.snapshot().get(keys.tail(partition));
        CompletableFuture<Long> version = tx.getReadVersion();
        return CompletableFuture.allOf(last, tail, version).thenAccept(done -> {
            Mark mark = new Mark(version.join(), Amount.decode(tail.join()), now);
            if (isWanted.test(last.join(), mark)) {
                tx.set(keys.mark(partition, mark.version()), mark.encode());
            }
        });
    }

    private static boolean isRecent(Instant time, Instant now) {
        return Duration.between(time, now).abs().compareTo(SPACING) < 0;
    }

    private boolean isDue(int partition, Instant now) {
        Instant before = looked.get(partition);
        if (before != null && isRecent(before, now)) {
            return false;
        }
        looked.put(partition, now);
        return true;
    }

    /** {@return the last mark before a place} One of the same version counts messages behind the place, too. */
    CompletableFuture<Optional<Mark>> before(ReadTransaction tx, int partition, Versionstamp place) {
        return last(tx, keys.marksUpTo(partition, Stamps.version(place) - 1));
    }

    /** {@return the last mark of a time or before} Marks are searched by halves of their versions. */
    CompletableFuture<Optional<Mark>> before(ReadTransaction tx, int partition, Instant time) {
        Range all = keys.marks(partition);
        CompletableFuture<Optional<Mark>> first = first(tx, all);
        CompletableFuture<Optional<Mark>> last = last(tx, all);
        return CompletableFuture.allOf(first, last).thenCompose(done -> {
            if (first.join().filter(mark -> !mark.time().isAfter(time)).isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            Mark newest = last.join().orElseThrow();
            return newest.time().isAfter(time)
                    ? search(tx, partition, first.join().orElseThrow(), newest.version(), time)
                    : last;
        });
    }

    /** @param low a mark of the time or before */
    private CompletableFuture<Optional<Mark>> search(
            ReadTransaction tx, int partition, Mark low, long high, Instant time) {
        if (high - low.version() <= 1) {
            return CompletableFuture.completedFuture(Optional.of(low));
        }
        long middle = low.version() + (high - low.version()) / 2;
        return last(tx, keys.marksUpTo(partition, middle)).thenCompose(found -> {
            Mark mark = found.orElse(low);
            if (mark.time().isAfter(time)) {
                return search(tx, partition, low, mark.version(), time);
            }
            return mark.version() == low.version()
                    ? firstAfter(tx, partition, low, middle, high, time)
                    : search(tx, partition, mark, high, time);
        });
    }

    /** There is no mark from {@code low} to {@code middle}: goes on with the next one. */
    private CompletableFuture<Optional<Mark>> firstAfter(
            ReadTransaction tx, int partition, Mark low, long middle, long high, Instant time) {
        Range rest = new Range(keys.mark(partition, middle + 1), keys.mark(partition, high));
        return first(tx, rest)
                .thenCompose(next -> next.isEmpty() || next.get().time().isAfter(time)
                        ? CompletableFuture.completedFuture(Optional.of(low))
                        : search(tx, partition, next.get(), high, time));
    }

    /** {@return the oldest marks behind a place, in order} One of the same version may be behind it. */
    CompletableFuture<List<Mark>> after(ReadTransaction tx, int partition, Versionstamp place, int limit) {
        Range range = new Range(keys.mark(partition, Stamps.version(place)), keys.marks(partition).end);
        return some(tx, range, limit + 1)
                .thenApply(marks -> marks.stream()
                        .filter(mark -> mark.place().compareTo(place) > 0)
                        .limit(limit)
                        .toList());
    }

    /** {@return the oldest marks, in order} */
    CompletableFuture<List<Mark>> oldest(ReadTransaction tx, int partition, int limit) {
        return some(tx, keys.marks(partition), limit);
    }

    private CompletableFuture<List<Mark>> some(ReadTransaction tx, Range range, int limit) {
        return tx.snapshot()
                .getRange(range, limit, false, StreamingMode.WANT_ALL)
                .asList()
                .thenApply(rows -> rows.stream().map(this::decode).toList());
    }

    private CompletableFuture<Optional<Mark>> first(ReadTransaction tx, Range range) {
        return one(tx, range, false);
    }

    private CompletableFuture<Optional<Mark>> last(ReadTransaction tx, Range range) {
        return one(tx, range, true);
    }

    private CompletableFuture<Optional<Mark>> one(ReadTransaction tx, Range range, boolean isReverse) {
        return tx.snapshot()
                .getRange(range, 1, isReverse)
                .asList()
                .thenApply(rows -> rows.stream().findFirst().map(this::decode));
    }

    private Mark decode(KeyValue row) {
        return Mark.decode(keys.versionOfMark(row.getKey()), row.getValue());
    }
}
