package dev.couchjobs.topics;

import java.util.List;
import java.util.Optional;

/**
 * What is known of a group of consumers.
 *
 * @param topicName its topic
 * @param name its name
 * @param partitions what it has of the partitions, in order
 */
public record GroupInfo(String topicName, String name, List<PartitionLag> partitions) {
    /**
     * Copies the partitions.
     *
     * @param topicName see above
     * @param name see above
     * @param partitions see above
     */
    public GroupInfo {
        partitions = List.copyOf(partitions);
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
}
