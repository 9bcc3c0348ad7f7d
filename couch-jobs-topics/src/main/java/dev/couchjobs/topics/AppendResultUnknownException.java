package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/**
 * The result of an append's commit is unknown, and the topic has removed messages that came after the append began: it
 * can no longer be found out whether its messages were among them. An append in the caller's own transaction never
 * fails with it.
 */
public class AppendResultUnknownException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param partition the partition
     */
    public AppendResultUnknownException(int partition) {
        super("The messages were appended to partition " + partition + " and already removed, or were not appended."
                + " Append them again if a second time does no harm, or append in a transaction of your own.");
    }
}
