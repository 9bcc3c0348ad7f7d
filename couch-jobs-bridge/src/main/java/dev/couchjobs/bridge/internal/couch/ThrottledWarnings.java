package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.RootCauses;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log what is wrong with a database, once until it is right again, and not with every attempt. */
final class ThrottledWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(HttpCouchDatabase.class);

    private static final int KINDS = 100;

    private final Address about;
    private final Set<String> made = new HashSet<>();
    private Optional<String> last = Optional.empty();

    ThrottledWarnings(Address about) {
        this.about = about;
    }

    /** Complains, but not yet of something that may be gone by the next attempt. */
    synchronized void make(RuntimeException fault, Backoff attempts) {
        String message = String.valueOf(fault.getMessage());
        last = Optional.of(about + ": " + message);
        boolean mayBeGone = fault instanceof TransientException passing
                && passing.pace() == TransientException.Pace.GROWING
                && !passing.wasLong();
        if (mayBeGone && !attempts.isRepeated()) {
            LOG.debug("{}: {}", about, message);
        } else if (made.size() < KINDS && made.add(message)) {
            LOG.warn("{}: {}", about, message);
        } else {
            LOG.debug("{}: still: {}", about, message);
        }
    }

    /** Complains of what is no fault of the database; the trace is for who looks for it. */
    synchronized void make(String what, Throwable thrown) {
        String message = what + ": " + RootCauses.of(thrown);
        if (made.size() < KINDS && made.add(message)) {
            LOG.warn("{}: {}", about, message);
            LOG.debug("{}: {}", about, what, thrown);
        } else {
            LOG.debug("{}: still: {}", about, message);
        }
    }

    /** {@return what was wrong with the last attempt, if it was not successful} */
    synchronized Optional<String> trouble() {
        return last;
    }

    /** The last attempt was successful. */
    synchronized void settle() {
        last = Optional.empty();
        if (!made.isEmpty()) {
            made.clear();
            LOG.info("{}: works again", about);
        }
    }
}
