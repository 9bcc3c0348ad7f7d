package dev.couchjobs.server.internal.access;

import java.io.Serial;

/** The row of a token cannot be read. The message says why, and contains nothing of the row. */
final class UnreadableTokenException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    UnreadableTokenException(String message) {
        super(message);
    }
}
