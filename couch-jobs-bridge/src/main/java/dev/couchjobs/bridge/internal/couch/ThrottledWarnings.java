package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.RootCauses;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a failure of a database once, until an attempt succeeds. */
final class ThrottledWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(HttpCouchDatabase.class);

    private static final int KINDS = 100;

    private final Address about;
    private final Set<String> made = new HashSet<>();
    private Optional<String> last = Optional.empty();

    ThrottledWarnings(Address about) {
        this.about = about;
    }

    /** Logs a fault. One that often passes at once is logged only if the attempt before has failed, too. */
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

    /** Logs a failure that is not the database's, with its stack trace. */
    synchronized void make(String what, Throwable thrown) {
        String message = what + ": " + RootCauses.of(thrown);
        if (made.size() < KINDS && made.add(message)) {
            LOG.warn("{}: {}", about, message);
            LOG.debug("{}: {}", about, what, thrown);
        } else {
            LOG.debug("{}: still: {}", about, message);
        }
    }

    /** {@return why the last attempt failed; empty if it succeeded} */
    synchronized Optional<String> trouble() {
        return last;
    }

    /** The last attempt has succeeded. */
    synchronized void settle() {
        last = Optional.empty();
        if (!made.isEmpty()) {
            made.clear();
            LOG.info("{}: works again", about);
        }
    }
}
