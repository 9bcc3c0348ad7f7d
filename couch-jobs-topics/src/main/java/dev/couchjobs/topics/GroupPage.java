package dev.couchjobs.topics;

import java.util.List;

/**
 * Messages that a group has still to consume, of one partition, in order.
 *
 * @param partition the partition; 0 if there are no messages
 * @param messages the messages
 * @param cursor for {@link ConsumerGroup#commit}; empty if there are no messages
 * @param <T> the class of their values
 */
public record GroupPage<T>(int partition, List<Message<T>> messages, String cursor) {
    /**
     * Copies the messages.
     *
     * @param partition see above
     * @param messages see above
     * @param cursor see above
     */
    public GroupPage {
        messages = List.copyOf(messages);
    }
}
