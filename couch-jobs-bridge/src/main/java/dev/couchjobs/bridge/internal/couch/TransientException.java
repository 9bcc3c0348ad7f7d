package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.RootCauses;
import java.time.Duration;
import java.util.Optional;

/** A fault after which another attempt may succeed. It is internal to this package. */
final class TransientException extends RuntimeException {
    /** When another attempt makes sense. */
    enum Pace {
        /** After the growing pauses. */
        GROWING,
        /** After the longest pause, because a person has to act first. */
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

    /** {@return a fault that is reported at once, because it has delayed documents for long} */
    static TransientException late(String message) {
        return new TransientException(message, Pace.GROWING, Optional.empty(), true);
    }

    TransientException(String message) {
        this(message, Pace.GROWING, Optional.empty());
    }

    static TransientException slow(String message) {
        return new TransientException(message, Pace.SLOW, Optional.empty());
    }

    /** {@return a transient fault for what was thrown, unless it is permanent; faults of connections are transient} */
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

    /** {@return the pause that the server has requested} */
    Optional<Duration> retryAfter() {
        return retryAfter;
    }
}
