package dev.couchjobs.topics;

import java.util.List;
import java.util.Optional;

/**
 * Messages of one partition, in order.
 *
 * @param messages the messages
 * @param next the offset behind which to go on: of the last message, or where an empty page was read
 * @param isEnd whether no further message was committed when they were read
 * @param trimmedTo the last message that retention has removed, if the page was read behind an offset before that
 *     message; the reader has missed it. Compaction is not told
 * @param <T> the class of their values
 */
public record MessagePage<T>(List<Message<T>> messages, Offset next, boolean isEnd, Optional<Offset> trimmedTo) {
    /**
     * Copies the messages.
     *
     * @param messages see above
     * @param next see above
     * @param isEnd see above
     * @param trimmedTo see above
     */
    public MessagePage {
        messages = List.copyOf(messages);
    }
}
