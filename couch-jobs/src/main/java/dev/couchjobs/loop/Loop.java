package dev.couchjobs.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.LogThrottle;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.loop.TimerDelays;
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
 * Background work in rounds. Rounds never overlap, and each returns the pause that follows it.
 *
 * <p>A failed round does not end the loop. The loop logs it in one line, once a minute for each cause, with the trace
 * at level debug, and tries again after a back-off that doubles from 10 ms to 5 s, with jitter. A wake-up does not
 * shorten the back-off. A failed signal counts as a failed round. The loop ends with {@link #close}, or when its
 * database has been closed.
 */
public final class Loop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
    private static final long BACKOFF_FIRST_MILLIS = 10;
    private static final long BACKOFF_MAX_MILLIS = 5_000;

    private enum Phase {
        NOT_STARTED,
        /** The executor has the next round, which has not begun. */
        STARTING,
        IN_ROUND,
        PAUSED,
        /** No round begins, because {@link #hold} says so. */
        HELD,
        BACKING_OFF,
        CLOSED
    }

    private final String name;
    private final Environment environment;
    private final Executor executor;
    private final Supplier<CompletableFuture<Pause>> round;
    private volatile long backoffMaxMillis = BACKOFF_MAX_MILLIS;

    @GuardedBy("this") private Phase phase = Phase.NOT_STARTED;

    @GuardedBy("this") private boolean isWakeUpRequested;

    /** Distinguishes the round that the executor has from one that {@link #hold} has called off. */
    @GuardedBy("this") private @Nullable Object starting;

    @GuardedBy("this") private int failures;

    @GuardedBy("this") private @Nullable Pause pause;

    @GuardedBy("this") private @Nullable Future<?> timer;
    /** Whether a round is under way or about to begin, or {@link #hold} keeps one from beginning. */
    @GuardedBy("this") private boolean isInUse;

    /** Completes without the lock: what depends on it may call other loops. */
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    // Distinguishes the wake-up that is awaited from one that was too late to be cancelled.
    @GuardedBy("this") private @Nullable Object awaited;

    /**
     * A loop whose rounds start on the environment's scheduler.
     *
     * @param name its name in the log
     * @param environment its clock, timers and randomness
     * @param round starts a round; the future has the pause that follows it
     */
    public Loop(String name, Environment environment, Supplier<CompletableFuture<Pause>> round) {
        this(name, environment, environment.scheduler(), round);
    }

    /**
     * A loop whose rounds start on an executor, for rounds with much work.
     *
     * @param name its name in the log
     * @param environment its clock, timers and randomness
     * @param executor starts the rounds
     * @param round starts a round; the future has the pause that follows it
     */
    public Loop(String name, Environment environment, Executor executor, Supplier<CompletableFuture<Pause>> round) {
        this.name = name;
        this.environment = environment;
        this.executor = executor;
        this.round = round;
    }

    /**
     * Sets the longest back-off.
     *
     * @param longest from 10 ms to 5 s
     */
    public void backOffAtMost(Duration longest) {
        backoffMaxMillis = Math.max(
                BACKOFF_FIRST_MILLIS,
                Math.min(BACKOFF_MAX_MILLIS, Durations.limit("longest", longest).toMillis()));
    }

    /** Requests a round that starts after this call: immediately, or after the current round. */
    public void wakeUp() {
        synchronized (this) {
            switch (phase) {
                case NOT_STARTED, PAUSED -> begin();
                case STARTING -> {}
                case IN_ROUND, HELD, BACKING_OFF -> isWakeUpRequested = true;
                case CLOSED -> {}
            }
        }
        tellIfEnded();
    }

    /**
     * Lets no round begin until {@link #release}, so that the caller may use what belongs to the rounds.
     *
     * @return whether it does: not during a round, in a back-off, or after the end
     */
    public synchronized boolean hold() {
        switch (phase) {
            case NOT_STARTED, PAUSED -> {}
            case STARTING -> {
                if (failures > 0) {
                    return false; // the round ends a back-off
                }
                starting = null;
                isWakeUpRequested = true;
            }
            case IN_ROUND, HELD, BACKING_OFF, CLOSED -> {
                return false;
            }
        }
        phase = Phase.HELD;
        isInUse = true;
        return true;
    }

    /**
     * Lets rounds begin again.
     *
     * @param next the pause that follows; without it the one goes on that was held, and ends now if it would have ended
     *     meanwhile
     */
    public void release(Optional<Pause> next) {
        synchronized (this) {
            isInUse = false;
            if (phase != Phase.HELD) {
                cancelSignal(next.orElse(null)); // closed meanwhile
            } else if (next.isPresent()) {
                endPause();
                pause(next.get());
            } else if (isWakeUpRequested) {
                begin();
            } else {
                phase = pause == null ? Phase.NOT_STARTED : Phase.PAUSED;
            }
        }
        tellIfEnded();
    }

    /** Ends the loop; the current round completes. */
    @Override
    public void close() {
        synchronized (this) {
            endPause();
            phase = Phase.CLOSED;
        }
        tellIfEnded();
    }

    /**
     * Returns a future that completes when this loop has ended. A caller that waits for a round also waits for this
     * future, because a loop whose database has been closed begins no further round.
     *
     * @return a future that completes after {@link #close}, or after the database was closed, when no round is under
     *     way and the caller of {@link #hold} has released the loop
     */
    public CompletableFuture<Void> ended() {
        return ended.copy();
    }

    /** Every change of the phase is followed by this. A caller that holds the lock is within another such change. */
    private void tellIfEnded() {
        if (Thread.holdsLock(this)) {
            return;
        }
        boolean hasEnded;
        synchronized (this) {
            hasEnded = phase == Phase.CLOSED && !isInUse;
        }
        if (hasEnded) {
            ended.complete(null);
        }
    }

    @GuardedBy("this") private void begin() {
        if (phase != Phase.BACKING_OFF) {
            failures = 0; // not earlier: a round whose signal fails immediately has failed
        }
        endPause();
        phase = Phase.STARTING;
        isWakeUpRequested = false;
        Object next = new Object();
        starting = next;
        isInUse = true;
        try {
            executor.execute(() -> runRound(next));
        } catch (Throwable e) { // the database is closed, or there is no thread; the caller of wakeUp continues
            isInUse = false;
            backOff(e);
        }
    }

    private void runRound(Object next) {
        synchronized (this) {
            if (starting != next) {
                return;
            }
            if (phase == Phase.STARTING) {
                phase = Phase.IN_ROUND;
            }
        }
        CompletableFuture<Pause> running;
        try {
            running = round.get();
        } catch (Throwable e) { // errors too: nothing else would report them, and the loop would stop
            running = CompletableFuture.failedFuture(e);
        }
        var unused = running.whenComplete(this::endRound);
    }

    private void endRound(@Nullable Pause requested, @Nullable Throwable error) {
        synchronized (this) {
            isInUse = false;
            if (phase == Phase.CLOSED) {
                cancelSignal(requested);
            } else if (error != null || requested == null) {
                backOff(error);
            } else {
                pause(requested);
            }
        }
        tellIfEnded();
    }

    @GuardedBy("this") private void pause(Pause requested) {
        pause = requested;
        if (isWakeUpRequested || requested.atMost().filter(Duration::isZero).isPresent()) {
            begin();
            return;
        }
        phase = Phase.PAUSED;
        Object wakeUp = new Object();
        awaited = wakeUp;
        requested.atMost().ifPresent(delay -> wakeAfter(delay, wakeUp));
        if (requested.signal().isPresent()) {
            var unused = requested.signal().get().whenComplete((value, error) -> signalled(wakeUp, error));
        }
    }

    private void signalled(Object wakeUp, @Nullable Throwable error) {
        synchronized (this) {
            if (awaited != wakeUp) {
                return;
            }
            if (phase == Phase.HELD) {
                isWakeUpRequested = true;
            } else if (error == null) {
                begin();
            } else if (!(error instanceof CancellationException)) {
                backOff(error);
            }
        }
        tellIfEnded();
    }

    @GuardedBy("this") private void backOff(@Nullable Throwable error) {
        endPause();
        if (error != null && RootCauses.isOfClosedDatabase(error)) {
            LOG.warn("{} ends, because its database was closed; close the CouchJobs before its database", name);
            phase = Phase.CLOSED;
            return;
        }
        failures++;
        long full = Math.min(backoffMaxMillis, BACKOFF_FIRST_MILLIS << Math.min(failures - 1, 16));
        long millis = full / 2 + environment.random().nextLong(full / 2 + 1);
        logFailure(error == null ? "no pause" : RootCauses.text(RootCauses.of(error)), millis);
        debug(error);
        phase = Phase.BACKING_OFF;
        Object wakeUp = new Object();
        awaited = wakeUp;
        wakeAfter(Duration.ofMillis(millis), wakeUp);
    }

    /** A string, because SLF4J writes the trace of an exception in last position. */
    private void logFailure(String cause, long millis) {
        if (LogThrottle.of(environment).tryAcquire(cause, environment.clock().instant())) {
            LOG.warn("{}: round failed, next one in {} ms: {}", name, millis, cause);
        } else {
            LOG.debug("{}: round failed, next one in {} ms: {}", name, millis, cause);
        }
    }

    private void debug(@Nullable Throwable error) {
        try {
            LOG.debug("{}: why the round failed", name, error);
        } catch (Throwable e) { // the error is of a class of the user's, which the log has called
            LOG.debug("{}: why the round failed cannot be logged", name);
        }
    }

    @GuardedBy("this") private void wakeAfter(Duration delay, Object wakeUp) {
        timer = environment.scheduler().schedule(() -> timeUp(wakeUp), TimerDelays.nanos(delay), TimeUnit.NANOSECONDS);
    }

    private void timeUp(Object wakeUp) {
        synchronized (this) {
            if (awaited != wakeUp) {
                return;
            }
            if (phase == Phase.HELD) {
                isWakeUpRequested = true;
            } else {
                begin();
            }
        }
        tellIfEnded();
    }

    @GuardedBy("this") private void endPause() {
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
