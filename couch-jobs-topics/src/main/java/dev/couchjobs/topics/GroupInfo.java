package dev.couchjobs.topics;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a group of consumers.
 *
 * @param topicName its topic
 * @param name its name
 * @param partitions what it has of the partitions, in order
 * @param members its consumers that run, by name
 */
public record GroupInfo(String topicName, String name, List<PartitionLag> partitions, List<Member> members) {
    /**
     * Copies the lists.
     *
     * @param topicName see above
     * @param name see above
     * @param partitions see above
     * @param members see above
     */
    public GroupInfo {
        partitions = List.copyOf(partitions);
        members = List.copyOf(members);
    }

    /** {@return how many messages it has still to consume} */
    public long lag() {
        return partitions.stream().mapToLong(PartitionLag::lag).sum();
    }

    /**
     * A partition.
     *
     * @param partition its number
     * @param lag how many messages the group has still to consume. After a seek into the log it is too high by at most
     *     the messages of a minute, and in a compacted topic by those that are gone, until the group reaches the end
     *     of the partition
     * @param offset where the group goes on, behind it; empty before the first message
     * @param holder the consumer that holds the partition
     * @param parked how many messages have failed and are handled again, beside the lag; see {@link
     *     ConsumerBuilder#retryOutOfOrder}
     */
    public record PartitionLag(int partition, long lag, Optional<Offset> offset, Optional<String> holder, int parked) {}

    /**
     * A consumer. One that has died stays a member until another one has seen that its lease is over.
     *
     * @param name its name, as of a holder
     * @param silence how long ago its last heartbeat was committed, by the versions of the database: a cluster that
     *     recovers makes it longer
     */
    public record Member(String name, Duration silence) {}
}
