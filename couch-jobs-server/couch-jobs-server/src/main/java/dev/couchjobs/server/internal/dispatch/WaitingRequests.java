package dev.couchjobs.server.internal.dispatch;

import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.internal.access.Everyone;
import dev.couchjobs.server.internal.http.Exchange;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Requests that wait for something, and feeds. They end when the server closes, and when the authenticator no longer
 * knows their callers: a token expires without any event, so it is asked again at an interval.
 */
final class WaitingRequests {
    private static final SafeLog LOG = SafeLog.of(WaitingRequests.class);

    /** As old as a token may be that a request is admitted with. */
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private static final Problem ENDING = Problem.of(503, "closing", "The server is closing.")
            .detail("Connect again, to this or another one.")
            .header("Retry-After", "1");

    private final Authenticator authenticator;
    private final Executor executor;
    private final ScheduledExecutorService timers;
    private final Set<Exchange> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isAskingAgain = new AtomicBoolean();
    private volatile boolean isEnding;

    /**
     * Makes room for requests.
     *
     * @param executor runs what may take longer than a timer
     * @param timers are dropped when the server has closed
     */
    WaitingRequests(Authenticator authenticator, Executor executor, ScheduledExecutorService timers) {
        this.authenticator = authenticator;
        this.executor = executor;
        this.timers = timers;
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
            var unused = exchange.replied().whenComplete((replied, error) -> waiting.remove(exchange));
        }
    }

    void endAll() {
        isEnding = true;
        waiting.forEach(exchange -> exchange.interrupt(ENDING.reply()));
    }

    private void askAgainLater() {
        if (!isEnding && !waiting.isEmpty() && isAskingAgain.compareAndSet(false, true)) {
            var unused = timers.schedule(this::beginToAsk, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void beginToAsk() {
        try {
            executor.execute(this::askAgain);
        } catch (Throwable e) { // the pool is full or has ended; a token that has expired must not hold for that
            LOG.debug("Requests cannot be authenticated again now", e);
            isAskingAgain.set(false);
            askAgainLater();
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
        } catch (Throwable e) { // the request has just ended; and after an error the others are still asked about
            LOG.debug("A request cannot be authenticated again", e);
        }
    }
}
