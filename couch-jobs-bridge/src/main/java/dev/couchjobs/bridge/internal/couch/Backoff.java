package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Pauses that double. Each is shortened at random by up to a half, so that clients do not return at the same time. What
 * repeats until another party relents pauses so: without a pause it would keep both of them busy. Thread-safe.
 */
public final class Backoff {
    private final Duration first;
    private final Duration longest;
    private final RandomGenerator random;
    private Duration next;
    private int faults;

    public Backoff(Duration first, Duration longest, RandomGenerator random) {
        this.first = first;
        this.longest = longest;
        this.random = random;
        this.next = first;
    }

    /**
     * Waits for the next pause.
     *
     * @param executor runs what follows, which would delay the timers
     * @return completes after the pause; a caller that cancels it drops the timer
     */
    public CompletableFuture<@Nullable Void> pause(Environment environment, Executor executor) {
        CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
        Future<?> timer = environment
                .scheduler()
                .schedule(() -> executor.execute(() -> over.complete(null)), next().toNanos(), TimeUnit.NANOSECONDS);
        var unused = over.whenComplete((done, cancelled) -> timer.cancel(false));
        return over;
    }

    private synchronized Duration next() {
        Duration pause = shortened(next);
        grow();
        return pause;
    }

    /** {@return the pause after a fault} */
    synchronized Duration after(TransientException fault) {
        faults++;
        Duration pause = shortened(fault.pace() == TransientException.Pace.SLOW ? longest : next);
        grow();
        return fault.retryAfter().filter(asked -> asked.compareTo(pause) > 0).orElse(pause);
    }

    private Duration shortened(Duration whole) {
        return whole.minusNanos((long) (whole.toNanos() * (random.nextDouble() / 2)));
    }

    private void grow() {
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(longest) < 0 ? doubled : longest;
    }

    /** The next pause is the first again. */
    public synchronized void reset() {
        next = first;
        faults = 0;
    }

    /** {@return whether the last two attempts failed; a single fault is not reported} */
    synchronized boolean isRepeated() {
        return faults > 0;
    }
}
