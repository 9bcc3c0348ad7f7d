package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/**
 * The result of a poll's commit is unknown, and so many polls came after it that it can no longer be found out. A poll
 * in the caller's own transaction never fails with it.
 */
public class PollResultUnknownException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param partition the partition
     * @param offset the messages may have been consumed that follow it
     */
    public PollResultUnknownException(int partition, Offset offset) {
        super("The messages of partition " + partition + " behind offset " + offset + " may have been consumed by this"
                + " poll, or not. Read them there, or poll in a transaction of your own.");
    }
}
