package dev.couchjobs.topics;

import java.util.List;

/**
 * Handles messages of one partition. Called on a thread that it may block; for several partitions at the same time.
 *
 * @param <T> the class of the messages' values
 */
@FunctionalInterface
public interface MessageHandler<T> {
    /**
     * Handles messages. When it returns, the group moves behind them. When it throws, they are handled again.
     *
     * @param messages one or more, in order
     * @throws Exception if they cannot be handled now
     */
    void handle(List<Message<T>> messages) throws Exception;
}
