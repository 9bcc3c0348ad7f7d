package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.internal.loop.Causes;
import java.time.Duration;
import java.util.Optional;

/** Something went wrong that may be right the next time. Never leaves this package. */
final class PassingFault extends RuntimeException {
    /** How soon another attempt makes sense. */
    enum Pace {
        /** The pauses grow, beginning with a short one. */
        GROWING,
        /** A person has to do something first: at once the longest pause. */
        SLOW
    }

    private final transient Pace pace;
    private final transient Optional<Duration> notBefore;
    private final boolean wasLong;

    private PassingFault(String message, Pace pace, Optional<Duration> notBefore, boolean wasLong) {
        super(message, null, false, false);
        this.pace = pace;
        this.notBefore = notBefore;
        this.wasLong = wasLong;
    }

    PassingFault(String message, Pace pace, Optional<Duration> notBefore) {
        this(message, pace, notBefore, false);
    }

    /** {@return a fault that was long in coming: even a single one has kept documents waiting} */
    static PassingFault late(String message) {
        return new PassingFault(message, Pace.GROWING, Optional.empty(), true);
    }

    PassingFault(String message) {
        this(message, Pace.GROWING, Optional.empty());
    }

    static PassingFault slow(String message) {
        return new PassingFault(message, Pace.SLOW, Optional.empty());
    }

    /** {@return what was thrown, as a fault that may pass; what a connection throws may always pass} */
    static RuntimeException of(Throwable thrown) {
        Throwable cause = Causes.of(thrown);
        if (cause instanceof PassingFault || cause instanceof CouchException) {
            return (RuntimeException) cause;
        }
        return new PassingFault("The connection failed: " + cause);
    }

    boolean wasLong() {
        return wasLong;
    }

    Pace pace() {
        return pace;
    }

    /** {@return the pause that the server has asked for} */
    Optional<Duration> notBefore() {
        return notBefore;
    }
}
