package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/** What is stored of a message cannot be decoded. Other messages are not concerned. */
public class UndecodableMessageException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message which message, and what is wrong with it
     * @param cause what decoding it failed of
     */
    public UndecodableMessageException(String message, Throwable cause) {
        super(message, cause);
    }
}
