package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.topics.internal.log.Stamps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** One member of a group: its heartbeat, and what it takes and gives back. One call at a time. */
public final class Membership {
    /** No member has an empty name. */
    private static final String NO_MEMBER = "";

    private final String group;
    private final String me;
    private final int first;
    private final Set<Integer> chosen;
    private final LeaseWatch leases;

    /**
     * @param first spreads what members take at the same time
     * @param chosen the partitions that this member wants; none for its share of those that no member has chosen
     */
    public Membership(String group, String me, int first, Set<Integer> chosen, Duration lease) {
        this.group = group;
        this.me = me;
        this.first = first;
        this.chosen = chosen;
        leases = new LeaseWatch(lease);
    }

    /**
     * What a round has found.
     *
     * @param claims all that this member holds once the round has committed
     * @param release what it is to give back
     * @param damaged the partitions whose rows cannot be decoded: no member holds them
     * @param changed fires when another round is worthwhile
     */
    public record Round(
            List<Claim> claims, List<Integer> release, Set<Integer> damaged, CompletableFuture<Void> changed) {}

    /** Sends a heartbeat, and takes partitions that are free or whose holders are dead. */
    public CompletableFuture<Round> round(Transaction tx, GroupTable table, int partitions, Instant now) {
        GroupKeys keys = table.keys();
        CompletableFuture<Map<String, byte[]>> members = table.heartbeats(tx, group);
        CompletableFuture<GroupTable.Rows> rows = table.partitions(tx, group);
        CompletableFuture<Long> version = tx.getReadVersion();
        return CompletableFuture.allOf(members, rows, version).thenCompose(done -> {
            Set<String> dead = dead(members.join(), version.join(), now);
            SortedSet<String> live = new TreeSet<>(members.join().keySet());
            live.removeAll(dead);
            boolean joins = live.add(me);
            List<Optional<String>> holders = holders(rows.join().readable(), partitions);
            Map<String, Set<Integer>> choices =
                    choices(members.join(), live, rows.join().damaged());
            Assignment mine = Assignment.of(me, live, choices, holders, first);
            boolean changes = joins || !dead.isEmpty();
            if (changes) {
                Stamps.setValue(tx, keys.changed(group));
            }
            Stamps.setValue(tx, keys.member(group, me), encode(chosen));
            return CompletableFuture.allOf(dead.stream()
                            .map(member -> remove(tx, keys.member(group, member)))
                            .toArray(CompletableFuture<?>[]::new))
                    .thenCompose(removed -> take(tx, table, mine.take(), live))
                    .thenApply(taken -> {
                        List<Claim> claims = new ArrayList<>(taken);
                        rows.join().readable().forEach((partition, row) -> {
                            if (me.equals(row.holder())) {
                                claims.add(new Claim(me, partition, row.epoch()));
                            }
                        });
                        // What this transaction writes it cannot watch.
                        CompletableFuture<Void> changed =
                                changes ? CompletableFuture.completedFuture(null) : tx.watch(keys.changed(group));
                        return new Round(
                                List.copyOf(claims), mine.release(), rows.join().damaged(), changed);
                    });
        });
    }

    private Set<String> dead(Map<String, byte[]> members, long version, Instant now) {
        leases.keepOnly(members.keySet());
        Set<String> dead = new HashSet<>();
        members.forEach((member, heartbeat) -> {
            if (!member.equals(me) && leases.isDead(member, heartbeat, version, now)) {
                dead.add(member);
            }
        });
        return dead;
    }

    /** {@return the partitions that each live member has chosen, and under no name those that no member may take} */
    private Map<String, Set<Integer>> choices(Map<String, byte[]> members, Set<String> live, Set<Integer> damaged) {
        Map<String, Set<Integer>> choices = new HashMap<>();
        members.forEach((member, heartbeat) -> {
            byte[] choice = Stamps.behindValue(heartbeat);
            if (choice.length > 0 && live.contains(member)) {
                choices.put(member, decode(choice));
            }
        });
        if (!chosen.isEmpty()) {
            Set<Integer> readable = new HashSet<>(chosen);
            readable.removeAll(damaged);
            choices.put(me, readable);
        }
        if (!damaged.isEmpty()) {
            choices.put(NO_MEMBER, damaged);
        }
        return choices;
    }

    private static byte[] encode(Set<Integer> partitions) {
        return Tuple.fromItems(new TreeSet<>(partitions)).pack();
    }

    private static Set<Integer> decode(byte[] partitions) {
        return Tuple.fromBytes(partitions).stream()
                .map(partition -> ((Long) partition).intValue())
                .collect(Collectors.toSet());
    }

    /** A heartbeat that comes meanwhile is a conflict. */
    private static CompletableFuture<Void> remove(Transaction tx, byte[] key) {
        return tx.get(key).thenAccept(present -> tx.clear(key));
    }

    private static List<Optional<String>> holders(Map<Integer, GroupPartition> rows, int partitions) {
        List<Optional<String>> holders = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            holders.add(Optional.ofNullable(rows.get(partition)).map(GroupPartition::holder));
        }
        return holders;
    }

    private CompletableFuture<List<Claim>> take(
            Transaction tx, GroupTable table, List<Integer> partitions, SortedSet<String> live) {
        List<CompletableFuture<Optional<Claim>>> taken = partitions.stream()
                .map(partition -> take(tx, table, partition, live))
                .toList();
        return CompletableFuture.allOf(taken.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> taken.stream()
                        .map(CompletableFuture::join)
                        .flatMap(Optional::stream)
                        .toList());
    }

    private CompletableFuture<Optional<Claim>> take(
            Transaction tx, GroupTable table, int partition, SortedSet<String> live) {
        return table.partition(tx, group, partition).thenApply(row -> {
            if (row.holder() != null && live.contains(row.holder())) {
                return Optional.empty();
            }
            GroupPartition held = row.holder() == null ? row.heldBy(me) : row.inheritedBy(me);
            tx.set(table.keys().partition(group, partition), held.encode());
            return Optional.of(new Claim(me, partition, held.epoch()));
        });
    }

    /** Gives partitions back that this member still holds. */
    public CompletableFuture<Void> release(Transaction tx, GroupTable table, List<Integer> partitions) {
        Stamps.setValue(tx, table.keys().changed(group));
        return CompletableFuture.allOf(partitions.stream()
                .map(partition -> table.partition(tx, group, partition).thenAccept(row -> {
                    if (me.equals(row.holder())) {
                        tx.set(
                                table.keys().partition(group, partition),
                                row.heldBy(null).encode());
                    }
                }))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Leaves the group, and gives back all that this member holds. No round of it runs any more. */
    public CompletableFuture<Void> leave(Transaction tx, GroupTable table) {
        tx.clear(table.keys().member(group, me));
        return table.partitions(tx, group)
                .thenCompose(rows -> release(
                        tx,
                        table,
                        rows.readable().entrySet().stream()
                                .filter(row -> me.equals(row.getValue().holder()))
                                .map(Map.Entry::getKey)
                                .toList()));
    }
}
