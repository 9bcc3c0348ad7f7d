package dev.couchjobs.internal.loop;

import dev.couchjobs.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background work in rounds: never two rounds at once, and after each the pause that it asked for.
 *
 * <p>A round that fails does not end the loop. It is logged in one line, once a minute for each cause, with the trace
 * at level debug, and tried again after a back-off that doubles from 10 ms to 5 s, with jitter; a wake-up does not
 * shorten it. So is one whose signal fails. The loop ends with {@link #close}, or when its database has been closed.
 */
public final class Loop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
    private static final long BACKOFF_FIRST_MILLIS = 10;
    private static final long BACKOFF_MAX_MILLIS = 5_000;

    private enum Phase {
        NOT_STARTED,
        IN_ROUND,
        PAUSED,
        BACKING_OFF,
        CLOSED
    }

    private final String name;
    private final Environment environment;
    private final Executor executor;
    private final Supplier<CompletableFuture<Pause>> round;
    private volatile long backoffMaxMillis = BACKOFF_MAX_MILLIS;

    // Guarded by this.
    private Phase phase = Phase.NOT_STARTED;
    private boolean isWakeUpRequested;
    private int failures;
    private @Nullable Pause pause;
    private @Nullable Future<?> timer;
    // Tells the wake-up that is wanted from one that came too late to be cancelled.
    private @Nullable Object awaited;

    /** A loop whose rounds begin on the environment's scheduler. */
    public Loop(String name, Environment environment, Supplier<CompletableFuture<Pause>> round) {
        this(name, environment, environment.scheduler(), round);
    }

    /** A loop whose rounds begin on an executor, because they have much to do. */
    public Loop(String name, Environment environment, Executor executor, Supplier<CompletableFuture<Pause>> round) {
        this.name = name;
        this.environment = environment;
        this.executor = executor;
        this.round = round;
    }

    /** From now on it backs off for no longer than that, if that is less than 5 seconds; for at least 10 ms. */
    public void backOffAtMost(Duration longest) {
        backoffMaxMillis = Math.max(BACKOFF_FIRST_MILLIS, Math.min(BACKOFF_MAX_MILLIS, longest.toMillis()));
    }

    /** Asks for a round that begins after this call: at once, or right after the round that is under way. */
    public synchronized void wakeUp() {
        switch (phase) {
            case NOT_STARTED, PAUSED -> begin();
            case IN_ROUND, BACKING_OFF -> isWakeUpRequested = true;
            case CLOSED -> {}
        }
    }

    /** Ends the loop; a round that is under way runs to its end. */
    @Override
    public synchronized void close() {
        endPause();
        phase = Phase.CLOSED;
    }

    private void begin() {
        if (phase != Phase.BACKING_OFF) {
            failures = 0; // only now: a round whose signal fails at once has not gone well
        }
        endPause();
        phase = Phase.IN_ROUND;
        isWakeUpRequested = false;
        try {
            executor.execute(this::runRound);
        } catch (Throwable e) { // its database has been closed, or there is no thread; the caller of wakeUp goes on
            backOff(e);
        }
    }

    private void runRound() {
        CompletableFuture<Pause> running;
        try {
            running = round.get();
        } catch (Throwable e) { // also an error: nothing else would report it, and the loop would stand still
            running = CompletableFuture.failedFuture(e);
        }
        var unused = running.whenComplete(this::endRound);
    }

    private synchronized void endRound(@Nullable Pause wanted, @Nullable Throwable error) {
        if (phase == Phase.CLOSED) {
            cancelSignal(wanted);
        } else if (error != null || wanted == null) {
            backOff(error);
        } else {
            pause(wanted);
        }
    }

    private void pause(Pause wanted) {
        pause = wanted;
        if (isWakeUpRequested || wanted.atMost().filter(Duration::isZero).isPresent()) {
            begin();
            return;
        }
        phase = Phase.PAUSED;
        Object wakeUp = new Object();
        awaited = wakeUp;
        wanted.atMost().ifPresent(delay -> wakeAfter(delay, wakeUp));
        if (wanted.signal().isPresent()) {
            var unused = wanted.signal().get().whenComplete((value, error) -> signalled(wakeUp, error));
        }
    }

    private synchronized void signalled(Object wakeUp, @Nullable Throwable error) {
        if (awaited != wakeUp) {
            return;
        }
        if (error == null) {
            begin();
        } else if (!(error instanceof CancellationException)) {
            backOff(error);
        }
    }

    private void backOff(@Nullable Throwable error) {
        endPause();
        if (error != null && RootCauses.isOfClosedDatabase(error)) {
            LOG.warn("{} ends, because its database was closed; close the CouchJobs before its database", name);
            phase = Phase.CLOSED;
            return;
        }
        failures++;
        long full = Math.min(backoffMaxMillis, BACKOFF_FIRST_MILLIS << Math.min(failures - 1, 16));
        long millis = full / 2 + environment.random().nextLong(full / 2 + 1);
        tell(error == null ? "no pause" : RootCauses.of(error).toString(), millis);
        LOG.debug("{}: why the round failed", name, error);
        phase = Phase.BACKING_OFF;
        Object wakeUp = new Object();
        awaited = wakeUp;
        wakeAfter(Duration.ofMillis(millis), wakeUp);
    }

    /** A text: SLF4J writes the trace of an exception that comes last. */
    private void tell(String cause, long millis) {
        if (LogThrottle.of(environment).tryAcquire(cause, environment.clock().instant())) {
            LOG.warn("{}: round failed, next one in {} ms: {}", name, millis, cause);
        } else {
            LOG.debug("{}: round failed, next one in {} ms: {}", name, millis, cause);
        }
    }

    private void wakeAfter(Duration delay, Object wakeUp) {
        timer = environment.scheduler().schedule(() -> timeUp(wakeUp), TimerDelays.nanos(delay), TimeUnit.NANOSECONDS);
    }

    private synchronized void timeUp(Object wakeUp) {
        if (awaited == wakeUp) {
            begin();
        }
    }

    private void endPause() {
        Pause ended = pause;
        pause = null;
        awaited = null;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
        cancelSignal(ended);
    }

    private static void cancelSignal(@Nullable Pause ended) {
        Optional.ofNullable(ended).flatMap(Pause::signal).ifPresent(signal -> signal.cancel(false));
    }
}
