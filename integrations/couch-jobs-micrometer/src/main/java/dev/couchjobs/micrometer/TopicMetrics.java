package dev.couchjobs.micrometer;

import dev.couchjobs.topics.TopicsListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts and times what an instance of topics does, in a registry:
 *
 * <pre>{@code
 * Topics topics = Topics.builder(database).listener(TopicMetrics.on(registry)).build();
 * }</pre>
 *
 * <table>
 *   <caption>Meters</caption>
 *   <tr><th>meter</th><th>tags</th><th>what it measures</th></tr>
 *   <tr><td>{@code couchjobs.topics.appended}</td><td>topic</td><td>messages appended</td></tr>
 *   <tr><td>{@code couchjobs.topics.consumed}</td><td>topic, group</td><td>messages that consumers have
 *     handled</td></tr>
 *   <tr><td>{@code couchjobs.topics.batches}</td><td>topic, group</td><td>the time of batches, from the read of their
 *     messages to the commit</td></tr>
 *   <tr><td>{@code couchjobs.topics.failures}</td><td>topic, group</td><td>failures of single messages</td></tr>
 *   <tr><td>{@code couchjobs.topics.dead}</td><td>topic, group</td><td>messages that went to a topic for dead
 *     letters</td></tr>
 *   <tr><td>{@code couchjobs.topics.taken.partitions}</td><td>topic, group</td><td>partitions that consumers have
 *     taken</td></tr>
 *   <tr><td>{@code couchjobs.topics.lost.partitions}</td><td>topic, group</td><td>partitions that consumers have
 *     lost</td></tr>
 * </table>
 *
 * <p>The first hundred topics, and groups, have tags of their own; further ones share {@code other}. Instances of
 * several processes are told apart by the common tags of their registries.
 */
public final class TopicMetrics implements TopicsListener {
    private static final int TAGS_MAX = 100;
    private static final String OTHER = "other";

    private final MeterRegistry registry;
    private final Map<String, String> topicTags = new ConcurrentHashMap<>();
    private final Map<String, String> groupTags = new ConcurrentHashMap<>();

    private TopicMetrics(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
    }

    /**
     * {@return a listener that records in a registry}
     *
     * @param registry the registry
     */
    public static TopicMetrics on(MeterRegistry registry) {
        return new TopicMetrics(registry);
    }

    private static String tag(Map<String, String> tags, String name) {
        String known = tags.get(name);
        if (known != null) {
            return known;
        }
        // Racing threads may exceed the limit by one name each.
        return tags.size() >= TAGS_MAX ? OTHER : tags.computeIfAbsent(name, tag -> tag);
    }

    private Tags tags(String topic, String group) {
        return Tags.of("topic", tag(topicTags, topic), "group", tag(groupTags, group));
    }

    @Override
    public void appended(MessagesAppended event) {
        Meters.APPENDED_MESSAGES.count(registry, Tags.of("topic", tag(topicTags, event.topic())), event.messages());
    }

    @Override
    public void consumed(MessagesConsumed event) {
        Tags tags = tags(event.topic(), event.group());
        Meters.CONSUMED_MESSAGES.count(registry, tags, event.messages());
        Meters.BATCHES.timer(registry, tags).record(event.took());
    }

    @Override
    public void failed(MessageFailed event) {
        Meters.FAILURES.count(registry, tags(event.topic(), event.group()), 1);
    }

    @Override
    public void deadLettered(MessageDeadLettered event) {
        Meters.DEAD_MESSAGES.count(registry, tags(event.topic(), event.group()), 1);
    }

    @Override
    public void partitionTaken(PartitionTaken event) {
        Meters.TAKEN_PARTITIONS.count(registry, tags(event.topic(), event.group()), 1);
    }

    @Override
    public void partitionLost(PartitionLost event) {
        Meters.LOST_PARTITIONS.count(registry, tags(event.topic(), event.group()), 1);
    }
}
