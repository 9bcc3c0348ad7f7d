package dev.couchjobs.topics;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How many partitions a topic has, and how long it keeps messages. Immutable.
 *
 * <p>Retention is by age, by size, or both: a message goes when either says so. Without both, messages stay.
 *
 * @param partitions from 1 to {@value #PARTITIONS_MAX}
 * @param maxAge how long a message is kept; empty for ever
 * @param maxBytes how many bytes of messages a partition keeps; empty for any number
 */
public record TopicSettings(int partitions, Optional<Duration> maxAge, OptionalLong maxBytes) {
    /** The most partitions of a topic. */
    public static final int PARTITIONS_MAX = 1_024;

    /**
     * Checks the settings.
     *
     * @param partitions see above
     * @param maxAge see above
     * @param maxBytes see above
     * @throws IllegalArgumentException if there are too few or too many partitions, or a limit is not positive
     */
    public TopicSettings {
        if (partitions < 1 || partitions > PARTITIONS_MAX) {
            throw new IllegalArgumentException(
                    "A topic has 1 to " + PARTITIONS_MAX + " partitions, not " + partitions + ".");
        }
        if (maxAge.filter(age -> age.compareTo(Duration.ofSeconds(1)) < 0).isPresent()) {
            throw new IllegalArgumentException(
                    "A topic keeps messages for at least a second, not for " + maxAge.get() + ".");
        }
        if (maxBytes.isPresent() && maxBytes.getAsLong() < 1) {
            throw new IllegalArgumentException(
                    "A partition keeps at least one byte, not " + maxBytes.getAsLong() + ".");
        }
    }

    /**
     * A topic that keeps its messages.
     *
     * @param partitions how many; each has an order of its own, and one consumer of a group at a time
     * @return the settings
     * @throws IllegalArgumentException if there are too few or too many
     */
    public static TopicSettings partitions(int partitions) {
        return new TopicSettings(partitions, Optional.empty(), OptionalLong.empty());
    }

    /**
     * The same, with another age.
     *
     * @param age at least a second
     * @return the settings
     * @throws IllegalArgumentException if the age is shorter
     */
    public TopicSettings maxAge(Duration age) {
        return new TopicSettings(partitions, Optional.of(age), maxBytes);
    }

    /**
     * The same, with another size.
     *
     * @param bytes of keys, headers and values in a partition, at least 1
     * @return the settings
     * @throws IllegalArgumentException if it is less
     */
    public TopicSettings maxBytes(long bytes) {
        return new TopicSettings(partitions, maxAge, OptionalLong.of(bytes));
    }
}
