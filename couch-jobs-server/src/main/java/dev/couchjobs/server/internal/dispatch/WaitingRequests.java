package dev.couchjobs.server.internal.dispatch;

import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.internal.access.Everyone;
import dev.couchjobs.server.internal.http.Exchange;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests that wait for something, and feeds. They end when the server closes, and when the authenticator no longer
 * knows their callers: a token expires without any event, so it is asked again at an interval.
 */
final class WaitingRequests {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingRequests.class);

    /** As old as a token may be that a request is admitted with. */
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private static final Problem ENDING = Problem.of(503, "closing", "The server is closing.")
            .detail("Connect again, to this or another one.")
            .header("Retry-After", "1");

    private final Authenticator authenticator;
    private final Executor executor;
    private final Set<Exchange> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isAskingAgain = new AtomicBoolean();
    private volatile boolean isEnding;

    WaitingRequests(Authenticator authenticator, Executor executor) {
        this.authenticator = authenticator;
        this.executor = executor;
    }

    /**
     * Adds a request.
     *
     * @throws ProblemException if the server is closing
     */
    void add(Exchange exchange) {
        waiting.add(exchange);
        if (isEnding) {
            throw new ProblemException(ENDING);
        }
        if (!(authenticator instanceof Everyone)) {
            askAgainLater();
        }
    }

    /** Removes a request that has been answered; a feed when it ends. */
    void remove(Exchange exchange) {
        if (waiting.contains(exchange)) {
            var unused = exchange.streamClosed().whenComplete((closed, error) -> waiting.remove(exchange));
        }
    }

    void endAll() {
        isEnding = true;
        waiting.forEach(exchange -> exchange.interrupt(ENDING.reply()));
    }

    private void askAgainLater() {
        if (!isEnding && !waiting.isEmpty() && isAskingAgain.compareAndSet(false, true)) {
            var unused = ServerEnvironment.scheduler()
                    .schedule(() -> executor.execute(this::askAgain), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void askAgain() {
        waiting.forEach(this::askAgain);
        isAskingAgain.set(false);
        askAgainLater();
    }

    private void askAgain(Exchange exchange) {
        try {
            var unused = authenticator.authenticate(exchange.request()).whenComplete((caller, error) -> {
                if (caller != null && caller.isEmpty()) {
                    exchange.interrupt(Problems.UNAUTHENTICATED.reply());
                }
            });
        } catch (RuntimeException e) {
            LOG.debug("A request that has just ended cannot be authenticated again", e);
        }
    }
}
