package dev.couchjobs.topics.internal.messages;

import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.internal.log.LogWriter.Placed;
import dev.couchjobs.topics.internal.log.MessageRow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

/** Chooses the partitions of messages: the caller's, that of the key, or each in turn. */
public final class PartitionChooser {
    private final AtomicInteger turn;

    /** @param first differs between processes, so that they do not all begin at one partition */
    public PartitionChooser(int first) {
        turn = new AtomicInteger(first);
    }

    /** {@return the rows with the partitions of their messages} */
    public <T> List<Placed> place(
            Topic<T> topic, List<NewMessage<T>> messages, List<MessageRow> rows, TopicSettings settings) {
        List<Placed> placed = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            placed.add(new Placed(choose(topic.name(), messages.get(i), settings), rows.get(i)));
        }
        return placed;
    }

    private int choose(String topicName, NewMessage<?> message, TopicSettings settings) {
        if (message.partition().isPresent()) {
            int chosen = message.partition().getAsInt();
            check(topicName, chosen, settings);
            checkKey(topicName, chosen, message, settings);
            return chosen;
        }
        return message.key()
                .map(key -> ofKey(key, settings.partitions()))
                .orElseGet(() -> Math.floorMod(turn.getAndIncrement(), settings.partitions()));
    }

    /** In a compacted topic the messages of a key supersede each other, and are in its partition. */
    private static void checkKey(String topicName, int chosen, NewMessage<?> message, TopicSettings settings) {
        if (settings.compactAfter().isPresent()
                && message.key()
                        .filter(key -> ofKey(key, settings.partitions()) != chosen)
                        .isPresent()) {
            throw new IllegalArgumentException("Topic \"" + topicName + "\" is compacted: the key chooses the"
                    + " partition of a message, not the caller.");
        }
    }

    /** {@return the partition of a key: the CRC-32C of its UTF-8, modulo the partitions, in any client} */
    public static int ofKey(String key, int partitions) {
        CRC32C hash = new CRC32C();
        hash.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % partitions);
    }

    /** Refuses a partition that a topic does not have. */
    public static void check(String topicName, int partition, TopicSettings settings) {
        if (partition < 0 || partition >= settings.partitions()) {
            throw new IllegalArgumentException("Topic \"" + topicName + "\" has the partitions 0 to "
                    + (settings.partitions() - 1) + ", and not " + partition + ".");
        }
    }
}
