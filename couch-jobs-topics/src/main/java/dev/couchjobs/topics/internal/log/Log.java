package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.AppendResultUnknownException;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.TopicInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The log of one topic. */
public final class Log {
    private final LogKeys keys;
    private final Marks marks;
    private final LogReader reader;
    private final LogWriter writer;

    Log(LogKeys keys) {
        this.keys = keys;
        marks = new Marks(keys);
        reader = new LogReader(keys);
        writer = new LogWriter(keys, marks);
    }

    public LogKeys keys() {
        return keys;
    }

    public LogReader reader() {
        return reader;
    }

    public LogWriter writer() {
        return writer;
    }

    /**
     * {@return the stamp of an earlier try that has appended to a partition}
     *
     * <p>It fails with an {@link AppendResultUnknownException} if the partition is trimmed or compacted beyond the
     * version: then a message that is not there may have been. This is rare, as marks and sweeps are a minute apart and
     * tries are not. To keep all young messages instead would not suffice: a process may pause, and versions jump when
     * a cluster recovers, which is when results are unknown.
     */
    public CompletableFuture<Optional<Versionstamp>> findToken(
            ReadTransaction tx, int partition, long token, long sinceVersion) {
        Versionstamp since = Stamps.upTo(sinceVersion);
        return new TokenSearch(reader, token)
                .find(tx, partition, since)
                .thenCombine(trim(tx, partition), (found, trim) -> {
                    // Of several messages a compaction may have left those behind the first, whose number is wanted.
                    if (trim.isCompactedBeyond(since) || (found.isEmpty() && trim.isBeyond(since))) {
                        throw new AppendResultUnknownException(partition);
                    }
                    return found;
                });
    }

    /** {@return the place of a position; its number is a lower bound if the position is within the log} */
    public CompletableFuture<Place> place(ReadTransaction tx, int partition, Position position) {
        if (position instanceof Position.Latest) {
            CompletableFuture<Long> number =
                    AppendOrder.hasAppended(tx) // then the tail counts what is behind the place
                            ? tx.getReadVersion()
                                    .thenCompose(version -> marks.before(tx, partition, Stamps.upTo(version)))
                                    .thenApply(Log::number)
                            : tail(tx, partition).thenApply(Amount::messages);
            return number.thenCombine(
                    tx.getReadVersion(), (messages, version) -> new Place(Stamps.upTo(version), messages));
        }
        if (position instanceof Position.After after) {
            Versionstamp stamp = after.offset().versionstamp();
            return marks.before(tx, partition, stamp)
                    .thenApply(mark -> new Place(stamp, number(mark)))
                    .thenCombine(trim(tx, partition), Log::notBefore);
        }
        if (position instanceof Position.At at) {
            return marks.before(tx, partition, at.time())
                    .thenApply(mark -> new Place(mark.map(Mark::place).orElse(Stamps.FIRST), number(mark)))
                    .thenCombine(trim(tx, partition), Log::notBefore);
        }
        return begin(tx, partition);
    }

    private static long number(Optional<Mark> mark) {
        return mark.map(found -> found.amount().messages()).orElse(0L);
    }

    private static Place notBefore(Place place, Trim trim) {
        return place.stamp().compareTo(trim.stamp()) < 0 ? trim.place() : place;
    }

    /** {@return all that was appended to a partition} */
    public CompletableFuture<Amount> tail(ReadTransaction tx, int partition) {
        return tx.snapshot().get(keys.tail(partition)).thenApply(Amount::decode);
    }

    /** {@return the place before the oldest message that is kept} */
    public CompletableFuture<Place> begin(ReadTransaction tx, int partition) {
        return trim(tx, partition).thenApply(Trim::place);
    }

    private CompletableFuture<Trim> trim(ReadTransaction tx, int partition) {
        return tx.snapshot().get(keys.trim(partition)).thenApply(Trim::decode);
    }

    /** {@return all that was appended, by the partitions that have a message} */
    public CompletableFuture<Map<Integer, Amount>> tails(ReadTransaction tx) {
        return tx.snapshot()
                .getRange(keys.tails(), ReadTransaction.ROW_LIMIT_UNLIMITED, false, StreamingMode.WANT_ALL)
                .asList()
                .thenApply(rows -> {
                    Map<Integer, Amount> tails = new HashMap<>();
                    rows.forEach(row -> tails.put(keys.partitionOfTail(row.getKey()), Amount.decode(row.getValue())));
                    return tails;
                });
    }

    /** {@return what retention has removed, by partitions} */
    public CompletableFuture<Map<Integer, Amount>> trimmed(ReadTransaction tx) {
        return tx.snapshot()
                .getRange(keys.trims(), ReadTransaction.ROW_LIMIT_UNLIMITED, false, StreamingMode.WANT_ALL)
                .asList()
                .thenApply(rows -> {
                    Map<Integer, Amount> trims = new HashMap<>();
                    rows.forEach(row -> trims.put(
                            keys.partitionOfTrim(row.getKey()),
                            Trim.decode(row.getValue()).amount()));
                    return trims;
                });
    }

    /** {@return how many messages the partitions have; two range reads, however many messages there are} */
    public CompletableFuture<List<TopicInfo.PartitionInfo>> partitions(ReadTransaction tx, int count) {
        return tails(tx).thenCombine(trimmed(tx), (tails, trims) -> {
            List<TopicInfo.PartitionInfo> all = new ArrayList<>();
            for (int partition = 0; partition < count; partition++) {
                Amount appended = tails.getOrDefault(partition, Amount.NOTHING);
                Amount kept = appended.minus(trims.getOrDefault(partition, Amount.NOTHING));
                all.add(new TopicInfo.PartitionInfo(partition, appended.messages(), kept.messages(), kept.bytes()));
            }
            return all;
        });
    }

    /**
     * Removes messages that a topic does not keep.
     *
     * @param consumed what all groups have consumed that the retention waits for
     * @return whether there may be more
     */
    public CompletableFuture<Boolean> sweep(
            Transaction tx, int partition, RetentionRule rule, Place consumed, Instant now) {
        return rule.settings().compactAfter().isPresent()
                ? new Compactor(keys, marks, reader).compact(tx, partition, rule, now)
                : new Trimmer(keys, marks).trim(tx, partition, rule, consumed, now);
    }

    /** {@return the last message of a key, in a compacted topic} An append of the key conflicts with this read. */
    public CompletableFuture<Optional<StoredMessage>> latest(ReadTransaction tx, int partition, String key) {
        return tx.getRange(keys.ofKey(partition, key), 1, true)
                .asList()
                .thenCompose(rows -> {
                    if (rows.isEmpty()) {
                        return CompletableFuture.completedFuture(Optional.empty());
                    }
                    return reader.find(
                            tx, partition, keys.stampOfKey(rows.get(0).getKey()));
                })
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(LogReader.explained(error, partition)));
    }
}
