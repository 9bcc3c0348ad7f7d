package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/** A transaction appends more messages than it can hold. Nothing was changed. */
public class TooManyMessagesException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message what is too much, and the limit
     */
    public TooManyMessagesException(String message) {
        super(message);
    }
}
