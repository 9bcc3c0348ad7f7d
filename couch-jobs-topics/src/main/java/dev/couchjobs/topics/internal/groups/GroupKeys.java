package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.internal.log.LogKeys;

/** The keys of the groups of one topic. */
final class GroupKeys {
    private final Subspace groups;
    private final Subspace partitions;
    private final Subspace members;
    private final Subspace changes;
    private final Subspace parked;

    GroupKeys(LogKeys log) {
        groups = log.part("group");
        partitions = log.part("claim");
        members = log.part("member");
        changes = log.part("changed");
        parked = log.part("parked");
    }

    byte[] group(String name) {
        return groups.pack(name);
    }

    Range groups() {
        return groups.range();
    }

    String nameOf(byte[] groupKey) {
        return groups.unpack(groupKey).getString(0);
    }

    byte[] partition(String group, int partition) {
        return partitions.get(group).pack(partition);
    }

    Range partitions(String group) {
        return partitions.get(group).range();
    }

    int partitionOf(byte[] key) {
        return (int) partitions.unpack(key).getLong(1);
    }

    byte[] member(String group, String member) {
        return members.get(group).pack(member);
    }

    Range members(String group) {
        return members.get(group).range();
    }

    String memberOf(byte[] key) {
        return members.unpack(key).getString(1);
    }

    byte[] parked(String group, int partition, Versionstamp place) {
        return parked.pack(Tuple.from(group, partition, place));
    }

    /** {@return where the messages are that a group has set aside in a partition} */
    Range parked(String group, int partition) {
        return parked.range(Tuple.from(group, partition));
    }

    Range parked(String group) {
        return parked.range(Tuple.from(group));
    }

    Versionstamp stampOfParked(byte[] key) {
        return parked.unpack(key).getVersionstamp(2);
    }

    /** {@return the key that changes when a member joins or leaves, or a partition becomes free} */
    byte[] changed(String group) {
        return changes.pack(group);
    }
}
