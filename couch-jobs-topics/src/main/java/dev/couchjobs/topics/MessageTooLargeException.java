package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/** A message is larger than a topic takes. Nothing was changed. */
public class MessageTooLargeException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message what is too large, and the limit
     */
    public MessageTooLargeException(String message) {
        super(message);
    }
}
