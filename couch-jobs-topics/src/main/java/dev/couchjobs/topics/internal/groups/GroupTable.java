package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.topics.GroupInfo.Member;
import dev.couchjobs.topics.GroupInfo.PartitionLag;
import dev.couchjobs.topics.GroupNotFoundException;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.TopicInfo.PartitionInfo;
import dev.couchjobs.topics.internal.log.Log;
import dev.couchjobs.topics.internal.log.Place;
import dev.couchjobs.topics.internal.log.Stamps;
import dev.couchjobs.topics.internal.transactions.RootCauses;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The groups of one topic. */
public final class GroupTable {
    private static final long FORMAT = 1;
    private static final Place BEGIN = new Place(Stamps.FIRST, 0);

    private final Log log;
    private final GroupKeys keys;

    public GroupTable(Log log) {
        this.log = log;
        keys = new GroupKeys(log.keys());
    }

    GroupKeys keys() {
        return keys;
    }

    /** {@return the log of the topic} */
    public Log log() {
        return log;
    }

    /** {@return whether there is such a group} */
    public CompletableFuture<Boolean> exists(ReadTransaction tx, String group) {
        return tx.get(keys.group(group)).thenApply(value -> value != null);
    }

    /** {@return the names of the groups} */
    public CompletableFuture<List<String>> list(ReadTransaction tx) {
        return tx.getRange(keys.groups(), ReadTransaction.ROW_LIMIT_UNLIMITED, false, StreamingMode.WANT_ALL)
                .asList()
                .thenApply(rows ->
                        rows.stream().map(row -> keys.nameOf(row.getKey())).toList());
    }

    /** {@return false if it was there} */
    public CompletableFuture<Boolean> create(
            Transaction tx, String group, int partitions, Position start, Instant now) {
        return exists(tx, group).thenCompose(isThere -> {
            if (isThere) {
                return CompletableFuture.completedFuture(false);
            }
            tx.set(keys.group(group), Tuple.from(FORMAT, now.toEpochMilli()).pack());
            return place(tx, group, partitions, start).thenApply(done -> true);
        });
    }

    private CompletableFuture<Void> place(Transaction tx, String group, int partitions, Position start) {
        return CompletableFuture.allOf(IntStream.range(0, partitions)
                .mapToObj(partition -> log.place(tx, partition, start)
                        .thenCombine(tx.getReadVersion(), GroupPartition::at)
                        .thenAccept(row -> tx.set(keys.partition(group, partition), row.encode())))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** {@return whether there was one} */
    public CompletableFuture<Boolean> delete(Transaction tx, String group) {
        return exists(tx, group).thenApply(isThere -> {
            tx.clear(keys.group(group));
            tx.clear(keys.partitions(group));
            tx.clear(keys.members(group));
            tx.clear(keys.parked(group));
            Stamps.setValue(tx, keys.changed(group));
            return isThere;
        });
    }

    /** Moves a group to a position. */
    public CompletableFuture<Void> seek(Transaction tx, String group, List<Integer> partitions, Position position) {
        List<CompletableFuture<Void>> moved = new ArrayList<>();
        for (int partition : partitions) {
            moved.add(partitionOrNew(tx, group, partition)
                    .thenCombine(log.place(tx, partition, position), (row, place) -> {
                        tx.set(
                                keys.partition(group, partition),
                                row.soughtTo(place).encode());
                        if (row.parked() > 0) {
                            tx.clear(keys.parked(group, partition));
                        }
                        return null;
                    }));
        }
        return exists(tx, group)
                .thenCompose(isThere -> isThere
                        ? CompletableFuture.allOf(moved.toArray(CompletableFuture<?>[]::new))
                        : CompletableFuture.failedFuture(new GroupNotFoundException(group)));
    }

    /** {@return a partition of a group, as if it were new if its row is damaged: a seek writes another} */
    private CompletableFuture<GroupPartition> partitionOrNew(Transaction tx, String group, int partition) {
        return partition(tx, group, partition).exceptionallyCompose(error -> {
            if (!isDamaged(error)) {
                return CompletableFuture.failedFuture(error);
            }
            tx.clear(keys.parked(group, partition)); // the row does not say whether there are some
            return log.begin(tx, partition).thenCombine(tx.getReadVersion(), GroupPartition::at);
        });
    }

    /** {@return a partition of a group; at the beginning of the log if the group has nothing of it} */
    CompletableFuture<GroupPartition> partition(ReadTransaction tx, String group, int partition) {
        CompletableFuture<Place> begin = log.begin(tx, partition);
        return tx.get(keys.partition(group, partition))
                .thenCompose(value -> value == null
                        ? begin.thenCombine(tx.getReadVersion(), GroupPartition::at)
                        : begin.thenApply(decode(group, partition, value)::notBefore));
    }

    private static GroupPartition decode(String group, int partition, byte[] value) {
        try {
            return GroupPartition.decode(value);
        } catch (RuntimeException e) { // tuples of damaged bytes fail in many ways
            throw UndecodableRowException.of(
                    "The row of partition " + partition + " of group \"" + group + "\" cannot be decoded, so the group"
                            + " consumes nothing of it. To repair the row, seek the group in this partition.",
                    e);
        }
    }

    private static Optional<GroupPartition> readable(String group, int partition, byte[] value) {
        try {
            return Optional.of(decode(group, partition, value));
        } catch (UndecodableRowException e) {
            return Optional.empty();
        }
    }

    /** {@return whether the row of a partition cannot be decoded} */
    static boolean isDamaged(Throwable error) {
        return RootCauses.of(error) instanceof UndecodableRowException;
    }

    /** {@return a place behind which some of these groups have still to consume; behind all messages without groups} */
    CompletableFuture<Place> consumedByAll(ReadTransaction tx, Set<String> groups, int partition) {
        List<CompletableFuture<Place>> places =
                groups.stream().map(group -> consumed(tx, group, partition)).toList();
        return CompletableFuture.allOf(places.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> places.stream()
                        .map(CompletableFuture::join)
                        .reduce(new Place(Stamps.LAST, Long.MAX_VALUE), GroupTable::least));
    }

    /** A message that is parked is not consumed, and none is of a partition whose row is damaged. */
    private CompletableFuture<Place> consumed(ReadTransaction tx, String group, int partition) {
        CompletableFuture<List<KeyValue>> parked =
                tx.snapshot().getRange(keys.parked(group, partition), 1).asList();
        return tx.snapshot()
                .get(keys.partition(group, partition))
                .thenCombine(
                        parked,
                        (value, rows) -> new Place(
                                rows.isEmpty()
                                        ? Stamps.LAST
                                        : keys.stampOfParked(rows.get(0).getKey()),
                                value == null
                                        ? 0
                                        : readable(group, partition, value)
                                                .map(row -> row.place().number())
                                                .orElse(0L)));
    }

    private static Place least(Place one, Place other) {
        return new Place(
                one.stamp().compareTo(other.stamp()) < 0 ? one.stamp() : other.stamp(),
                Math.min(one.number(), other.number()));
    }

    /** {@return a partition that a member holds} Fails with a {@link PartitionLostException} if it does not. */
    CompletableFuture<GroupPartition> held(ReadTransaction tx, String group, Claim claim) {
        return partition(tx, group, claim.partition()).thenApply(row -> {
            GroupPoll.requireClaim(group, row, claim.partition(), claim);
            return row;
        });
    }

    /**
     * The rows of a group.
     *
     * @param readable by partitions
     * @param damaged the partitions whose rows cannot be decoded
     */
    record Rows(Map<Integer, GroupPartition> readable, Set<Integer> damaged) {}

    CompletableFuture<Rows> partitions(ReadTransaction tx, String group) {
        return tx.snapshot()
                .getRange(keys.partitions(group), ReadTransaction.ROW_LIMIT_UNLIMITED, false, StreamingMode.WANT_ALL)
                .asList()
                .thenApply(rows -> {
                    Rows found = new Rows(new HashMap<>(), new HashSet<>());
                    for (KeyValue row : rows) {
                        int partition = keys.partitionOf(row.getKey());
                        readable(group, partition, row.getValue())
                                .ifPresentOrElse(
                                        decoded -> found.readable().put(partition, decoded),
                                        () -> found.damaged().add(partition));
                    }
                    return found;
                });
    }

    /**
     * {@return what a group has still to consume: three range reads, however many messages there are} All messages of a
     * partition whose row is damaged.
     */
    public CompletableFuture<List<PartitionLag>> lags(ReadTransaction tx, String group, int count) {
        return lags(tx, group, count, rows -> Set.of());
    }

    /** {@return the same, without the partitions whose rows are damaged} */
    CompletableFuture<List<PartitionLag>> readableLags(ReadTransaction tx, String group, int count) {
        return lags(tx, group, count, Rows::damaged);
    }

    private CompletableFuture<List<PartitionLag>> lags(
            ReadTransaction tx, String group, int count, Function<Rows, Set<Integer>> leftOut) {
        return partitions(tx, group)
                .thenCombine(
                        log.partitions(tx, count),
                        (rows, infos) -> infos.stream()
                                .filter(info -> !leftOut.apply(rows).contains(info.partition()))
                                .map(info -> lag(
                                        info,
                                        rows.readable().getOrDefault(info.partition(), GroupPartition.at(BEGIN, 0))))
                                .toList());
    }

    /** {@return the consumers of a group, by name} */
    public CompletableFuture<List<Member>> members(ReadTransaction tx, String group) {
        return heartbeats(tx, group)
                .thenCombine(
                        tx.getReadVersion(),
                        (heartbeats, version) -> heartbeats.entrySet().stream()
                                .map(each -> member(each.getKey(), each.getValue(), version))
                                .toList());
    }

    /** {@return the last heartbeats of the members of a group, by name} */
    CompletableFuture<Map<String, byte[]>> heartbeats(ReadTransaction tx, String group) {
        return tx.snapshot()
                .getRange(keys.members(group), ReadTransaction.ROW_LIMIT_UNLIMITED, false, StreamingMode.WANT_ALL)
                .asList()
                .thenApply(rows -> {
                    Map<String, byte[]> heartbeats = new LinkedHashMap<>();
                    rows.forEach(row -> heartbeats.put(keys.memberOf(row.getKey()), row.getValue()));
                    return heartbeats;
                });
    }

    private static Member member(String name, byte[] heartbeat, long version) {
        long sent = ByteBuffer.wrap(heartbeat).getLong();
        return new Member(name, Duration.of(Math.max(0, version - sent), ChronoUnit.MICROS));
    }

    private static PartitionLag lag(PartitionInfo info, GroupPartition row) {
        long removed = info.appended() - info.messages();
        Place place = row.place();
        return new PartitionLag(
                info.partition(),
                Math.max(0, info.appended() - Math.max(place.number(), removed)),
                place.stamp().equals(Stamps.FIRST) ? Optional.empty() : Optional.of(new Offset(place.stamp())),
                Optional.ofNullable(row.holder()),
                row.parked());
    }
}
