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
 * Controls the requests of one user to one server. CouchDB locks an account for five minutes after five refusals. Until
 * the server has accepted the user, only one request is sent at a time and the others wait. After a refusal that
 * request waits, too, longer each time.
 */
final class LoginThrottle {
    private static final Logger LOG = LoggerFactory.getLogger(HttpCouchDatabase.class);
    /** The pauses, in longest pauses of other requests. For 10 s these are 10 s, one minute, and then five minutes. */
    private static final List<Integer> PAUSES = List.of(1, 6, 30);

    private final String bridge;
    private final CouchSettings settings;
    private final String server;

    private final Deque<Consumer<Pass>> waiting = new ArrayDeque<>();
    private boolean isOpen;
    /** Whether a request tests the user, or the pause before it lasts. */
    private boolean isProbed;

    private int refusals;
    private Optional<Refusal> lastRefusal = Optional.empty();
    /** Increases with each refusal, and so distinguishes earlier requests. */
    private int round;

    LoginThrottle(String bridge, CouchSettings settings, String server) {
        this.bridge = bridge;
        this.settings = settings;
        this.server = server;
    }

    /** The permission to send a request. The request calls exactly one method when it has its answer. */
    final class Pass {
        private final int since;

        private Pass(int since) {
            this.since = since;
        }

        /** The server accepts the user. */
        void accept() {
            opened(since);
            admit();
        }

        /** The server refuses the user; the request is repeated when the throttle permits it. */
        void refuse(Refusal refusal, Consumer<Pass> again) {
            refused(since, refusal, again);
            admit();
        }

        /** The answer shows nothing about the user. */
        void leave() {
            left(since);
            admit();
        }
    }

    /**
     * Why the server refuses a user.
     *
     * @param text the reason that the server gives
     * @param isLock whether the server refuses even the right password for some minutes
     */
    record Refusal(String text, boolean isLock) {}

    /** {@return why the server refuses the user; empty if it does not} */
    synchronized Optional<String> trouble() {
        return lastRefusal.map(refusal -> server + " does not accept " + user() + ": " + refusal.text()
                + ". Nothing is read from it or written to it meanwhile");
    }

    /** Calls a request when it may be sent, possibly at once. */
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
                "{}: {} does not accept {}: {}. Correct user and password_file in the bridge's configuration and"
                        + " start the bridge again, or correct the user on the server. Until then all requests of this"
                        + " user wait; one of them is repeated after {} s, then less often",
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
        return "the user " + name + " with the configured password";
    }
}
