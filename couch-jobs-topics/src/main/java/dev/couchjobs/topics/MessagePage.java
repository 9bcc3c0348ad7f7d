package dev.couchjobs.topics;

import java.util.List;
import java.util.Optional;

/**
 * Messages of one partition, in order.
 *
 * @param messages the messages
 * @param isEnd whether no further message was committed when they were read
 * @param <T> the class of their values
 */
public record MessagePage<T>(List<Message<T>> messages, boolean isEnd) {
    /**
     * Copies the messages.
     *
     * @param messages see above
     * @param isEnd see above
     */
    public MessagePage {
        messages = List.copyOf(messages);
    }

    /** {@return where to go on; empty if the page is} */
    public Optional<Position> next() {
        return messages.isEmpty()
                ? Optional.empty()
                : Optional.of(Position.after(messages.get(messages.size() - 1).offset()));
    }
}
