package dev.couchjobs.topics;

import java.util.List;

/**
 * Messages of one partition, in order.
 *
 * @param messages the messages
 * @param next the offset behind which to go on: of the last message, or where an empty page was read
 * @param isEnd whether no further message was committed when they were read
 * @param <T> the class of their values
 */
public record MessagePage<T>(List<Message<T>> messages, Offset next, boolean isEnd) {
    /**
     * Copies the messages.
     *
     * @param messages see above
     * @param next see above
     * @param isEnd see above
     */
    public MessagePage {
        messages = List.copyOf(messages);
    }
}
