package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/**
 * A transaction reads a partition that it has appended to. The places of its messages are known only with the commit.
 */
public class UncommittedMessagesException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param partition the partition
     * @param cause the error of the database
     */
    public UncommittedMessagesException(int partition, Throwable cause) {
        super(
                "This transaction has appended to partition " + partition
                        + ", and cannot read it any more: read or poll"
                        + " before you append, or in another transaction.",
                cause);
    }
}
