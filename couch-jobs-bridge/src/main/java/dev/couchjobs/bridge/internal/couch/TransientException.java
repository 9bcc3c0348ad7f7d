package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.RootCauses;
import java.time.Duration;
import java.util.Optional;

/** Something went wrong that may be right the next time. Never leaves this package. */
final class TransientException extends RuntimeException {
    /** How soon another attempt makes sense. */
    enum Pace {
        /** The pauses grow, beginning with a short one. */
        GROWING,
        /** A person has to do something first: at once the longest pause. */
        SLOW
    }

    private final transient Pace pace;
    private final transient Optional<Duration> retryAfter;
    private final boolean wasLong;

    private TransientException(String message, Pace pace, Optional<Duration> retryAfter, boolean wasLong) {
        super(message, null, false, false);
        this.pace = pace;
        this.retryAfter = retryAfter;
        this.wasLong = wasLong;
    }

    TransientException(String message, Pace pace, Optional<Duration> retryAfter) {
        this(message, pace, retryAfter, false);
    }

    /** {@return a fault that was long in coming: even a single one has kept documents waiting} */
    static TransientException late(String message) {
        return new TransientException(message, Pace.GROWING, Optional.empty(), true);
    }

    TransientException(String message) {
        this(message, Pace.GROWING, Optional.empty());
    }

    static TransientException slow(String message) {
        return new TransientException(message, Pace.SLOW, Optional.empty());
    }

    /** {@return what was thrown, as a fault that may pass; what a connection throws may always pass} */
    static RuntimeException of(Throwable thrown) {
        Throwable cause = RootCauses.of(thrown);
        if (cause instanceof TransientException || cause instanceof CouchException) {
            return (RuntimeException) cause;
        }
        return new TransientException("The connection failed: " + cause);
    }

    boolean wasLong() {
        return wasLong;
    }

    Pace pace() {
        return pace;
    }

    /** {@return the pause that the server has asked for} */
    Optional<Duration> retryAfter() {
        return retryAfter;
    }
}
