package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/**
 * A consumer does not hold a partition, or no longer does: another holds it. The transaction does not commit, so
 * nothing was consumed.
 */
public class PartitionLostException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message which partition, and which consumer holds it
     */
    public PartitionLostException(String message) {
        super(message);
    }
}
