package dev.couchjobs.bridge.internal.couch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets requests of one user to one server through. CouchDB locks an account for five minutes after five refusals. So
 * while the server has not accepted the user, one request at a time asks, and the others wait; after a refusal that one
 * waits, too, and longer each time.
 */
final class LoginThrottle {
    private static final Logger LOG = LoggerFactory.getLogger(HttpCouchDatabase.class);
    /** In longest pauses of other requests. With pauses of 10 s: 10 s, a minute, and five minutes from then on. */
    private static final List<Integer> PAUSES = List.of(1, 6, 30);

    private final String bridge;
    private final CouchSettings settings;
    private final String server;

    private final Deque<Consumer<Pass>> waiting = new ArrayDeque<>();
    private boolean isOpen;
    /** A request is asking whether the user is accepted, or the pause before it lasts. */
    private boolean isProbed;

    private int refusals;
    private Optional<Refusal> lastRefusal = Optional.empty();
    /** Tells requests that were sent before the last refusal from later ones. */
    private int round;

    LoginThrottle(String bridge, CouchSettings settings, String server) {
        this.bridge = bridge;
        this.settings = settings;
        this.server = server;
    }

    /** What a request tells when it has its answer: exactly one of its methods is called. */
    final class Pass {
        private final int since;

        private Pass(int since) {
            this.since = since;
        }

        /** The server knows the user. */
        void accept() {
            opened(since);
            admit();
        }

        /** The server does not; the request is made again when the gate lets it. */
        void refuse(Refusal refusal, Consumer<Pass> again) {
            refused(since, refusal, again);
            admit();
        }

        /** The request says nothing about the user. */
        void leave() {
            left(since);
            admit();
        }
    }

    /**
     * Why a user is not accepted.
     *
     * @param text what the server says
     * @param isLock whether it refuses even the right password for some minutes
     */
    record Refusal(String text, boolean isLock) {}

    /** {@return that the server does not accept the user, if that is so} */
    synchronized Optional<String> trouble() {
        return lastRefusal.map(refusal -> server + " does not accept " + user() + ": " + refusal.text()
                + ". Nothing is read from it or written to it meanwhile");
    }

    /** Calls a request when it may be sent; perhaps at once. */
    void enter(Consumer<Pass> request) {
        synchronized (this) {
            waiting.addLast(request);
        }
        admit();
    }

    private void admit() {
        for (Optional<Runnable> next = next(); next.isPresent(); next = next()) {
            next.get().run();
        }
    }

    private synchronized Optional<Runnable> next() {
        if (waiting.isEmpty() || (!isOpen && isProbed)) {
            return Optional.empty();
        }
        isProbed = !isOpen;
        Consumer<Pass> request = waiting.removeFirst();
        Pass pass = new Pass(round);
        return Optional.of(() -> request.accept(pass));
    }

    private synchronized void opened(int since) {
        if (isOpen || since != round) {
            return;
        }
        isOpen = true;
        lastRefusal = Optional.empty();
        if (refusals > 0) {
            LOG.info("{}: {} accepts {} now", bridge, server, user());
            refusals = 0;
        }
    }

    private synchronized void left(int since) {
        if (!isOpen && since == round) {
            isProbed = false;
        }
    }

    private synchronized void refused(int since, Refusal refusal, Consumer<Pass> again) {
        waiting.addFirst(again);
        if (since != round) {
            return;
        }
        round++;
        isOpen = false;
        isProbed = true;
        Duration pause = refusal.isLock() ? pause(PAUSES.size()) : pause(refusals);
        lastRefusal = Optional.of(refusal);
        complain(refusal, pause);
        refusals++;
        var unused = settings.environment()
                .scheduler()
                .schedule(() -> settings.executor().execute(this::pauseIsOver), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private Duration pause(int before) {
        return settings.longestPause().multipliedBy(PAUSES.get(Math.min(before, PAUSES.size() - 1)));
    }

    private void pauseIsOver() {
        synchronized (this) {
            isProbed = false;
        }
        admit();
    }

    private void complain(Refusal refusal, Duration pause) {
        if (refusals > 0) {
            LOG.debug("{}: {} still does not accept {}: {}", bridge, server, user(), refusal.text());
            return;
        }
        LOG.warn(
                "{}: {} does not accept {}: {}. Mend user and password_file in the bridge's configuration and start the"
                        + " bridge again, or mend the user on the server. Until then all requests of this user wait;"
                        + " one of"
                        + " them is made again after {} s, then less often",
                bridge,
                server,
                user(),
                refusal.text(),
                pause.toSeconds());
    }

    private String user() {
        Credentials user = settings.credentials();
        String name = user instanceof Credentials.Basic basic ? basic.name() : "";
        name = user instanceof Credentials.Cookie cookie ? cookie.name() : name;
        return "the user " + name + " with the password that it was given";
    }
}
