package dev.couchjobs.topics;

import dev.couchjobs.loop.Durations;
import dev.couchjobs.topics.internal.log.TopicKeys;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * How many partitions a topic has, and how long it keeps messages. Immutable.
 *
 * <p>Retention is by age, by size, by consumption, or by several: a message goes when one of them says so. Without
 * retention messages stay. A compacted topic has no retention: it keeps the last message of each key.
 *
 * @param partitions from 1 to {@value #PARTITIONS_MAX}
 * @param maxAge how long a message is kept; empty for ever
 * @param maxBytes how many bytes of messages a partition keeps; empty for any number
 * @param consumedBy groups after all of which a message goes; empty if messages stay when they are consumed
 * @param compactAfter how long a message is kept, at least, once another of its key follows; empty if the topic is not
 *     compacted
 */
public record TopicSettings(
        int partitions,
        Optional<Duration> maxAge,
        OptionalLong maxBytes,
        Set<String> consumedBy,
        Optional<Duration> compactAfter) {
    /** The most partitions of a topic. */
    public static final int PARTITIONS_MAX = 1_024;

    /** The most groups that retention by consumption waits for. */
    public static final int GROUPS_MAX = 100;

    /**
     * Checks the settings.
     *
     * @param partitions see above
     * @param maxAge see above
     * @param maxBytes see above
     * @param consumedBy see above
     * @param compactAfter see above
     * @throws IllegalArgumentException if there are too few or too many partitions or groups, a limit is not positive,
     *     a group cannot have such a name, or the topic is compacted and has a retention
     */
    public TopicSettings {
        if (partitions < 1 || partitions > PARTITIONS_MAX) {
            throw new IllegalArgumentException(
                    "A topic has 1 to " + PARTITIONS_MAX + " partitions, not " + partitions + ".");
        }
        checkAge("maxAge", maxAge);
        checkAge("compactAfter", compactAfter);
        if (maxBytes.isPresent() && maxBytes.getAsLong() < 1) {
            throw new IllegalArgumentException(
                    "A partition keeps at least one byte, not " + maxBytes.getAsLong() + ".");
        }
        if (consumedBy.size() > GROUPS_MAX) {
            throw new IllegalArgumentException(
                    "Retention waits for at most " + GROUPS_MAX + " groups, not for " + consumedBy.size() + ".");
        }
        consumedBy.forEach(group -> TopicKeys.checkName("A group", group));
        consumedBy = Collections.unmodifiableSortedSet(new TreeSet<>(consumedBy));
        if (compactAfter.isPresent() && (maxAge.isPresent() || maxBytes.isPresent() || !consumedBy.isEmpty())) {
            throw new IllegalArgumentException("A compacted topic keeps the last message of each key: it has no maximum"
                    + " age or size, and does not remove what is consumed.");
        }
    }

    private static void checkAge(String what, Optional<Duration> age) {
        age.ifPresent(some -> Durations.between(what, some, Duration.ofSeconds(1), Durations.LONGEST));
    }

    /**
     * A topic that keeps its messages.
     *
     * @param partitions how many; each has an order of its own, and one consumer of a group at a time
     * @return the settings
     * @throws IllegalArgumentException if there are too few or too many
     */
    public static TopicSettings partitions(int partitions) {
        return new TopicSettings(partitions, Optional.empty(), OptionalLong.empty(), Set.of(), Optional.empty());
    }

    /**
     * The same, with another age.
     *
     * @param age a second to a hundred years
     * @return the settings
     * @throws IllegalArgumentException if the age is shorter or longer, or the topic is compacted
     */
    public TopicSettings maxAge(Duration age) {
        return new TopicSettings(partitions, Optional.of(age), maxBytes, consumedBy, compactAfter);
    }

    /**
     * The same, with another size.
     *
     * @param bytes of keys, headers and values in a partition, at least 1
     * @return the settings
     * @throws IllegalArgumentException if it is less, or the topic is compacted
     */
    public TopicSettings maxBytes(long bytes) {
        return new TopicSettings(partitions, maxAge, OptionalLong.of(bytes), consumedBy, compactAfter);
    }

    /**
     * The same; a message goes once all these groups have consumed it. A group that is not there has consumed nothing.
     * Messages that a group has parked stay.
     *
     * @param groups their names
     * @return the settings
     * @throws IllegalArgumentException if a group cannot have such a name, or the topic is compacted
     */
    public TopicSettings untilConsumedBy(String... groups) {
        return new TopicSettings(partitions, maxAge, maxBytes, Set.of(groups), compactAfter);
    }

    /**
     * The same, compacted: of each key the last message stays. Every message needs a key, and {@link
     * NewMessage#deletion} removes one. A topic is compacted from its creation, or never, and keeps its number of
     * partitions.
     *
     * @param keep how long a message is kept, at least, once another of its key follows, and how long a deletion is:
     *     consumers that are further behind may miss them. A second to a hundred years
     * @return the settings
     * @throws IllegalArgumentException if it is shorter or longer, or the topic has a retention
     */
    public TopicSettings compactAfter(Duration keep) {
        return new TopicSettings(partitions, maxAge, maxBytes, consumedBy, Optional.of(keep));
    }
}
