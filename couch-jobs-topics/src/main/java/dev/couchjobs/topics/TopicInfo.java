package dev.couchjobs.topics;

import java.time.Instant;
import java.util.List;

/**
 * What is known of a topic.
 *
 * @param name its name
 * @param settings its settings
 * @param createdAt when it was created, by the clock of that process
 * @param partitions its partitions, in order
 */
public record TopicInfo(String name, TopicSettings settings, Instant createdAt, List<PartitionInfo> partitions) {
    /**
     * Copies the partitions.
     *
     * @param name see above
     * @param settings see above
     * @param createdAt see above
     * @param partitions see above
     */
    public TopicInfo {
        partitions = List.copyOf(partitions);
    }

    /** {@return how many messages are kept} */
    public long messages() {
        return partitions.stream().mapToLong(PartitionInfo::messages).sum();
    }

    /** {@return how many bytes of keys, headers and values are kept} */
    public long bytes() {
        return partitions.stream().mapToLong(PartitionInfo::bytes).sum();
    }

    /**
     * A partition.
     *
     * @param partition its number
     * @param appended how many messages were ever appended
     * @param messages how many of them are kept
     * @param bytes how many bytes of keys, headers and values are kept
     */
    public record PartitionInfo(int partition, long appended, long messages, long bytes) {}
}
