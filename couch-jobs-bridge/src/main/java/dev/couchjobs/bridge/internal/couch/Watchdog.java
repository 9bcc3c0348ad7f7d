package dev.couchjobs.bridge.internal.couch;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports a connection that has been silent for two and a half to three heartbeats, because a half-open connection
 * reports nothing itself. It counts ticks instead of reading a clock, and does not count while the feed is not read.
 */
final class Watchdog {
    private static final int TICKS = 5;

    private final ScheduledExecutorService timer;
    private final Duration tick;
    private final Runnable bark;
    private int silentTicks;
    private boolean isListening = true;
    private @Nullable Future<?> next;

    Watchdog(ScheduledExecutorService timer, Duration heartbeat, Runnable bark) {
        this.timer = timer;
        this.tick = heartbeat.dividedBy(2);
        this.bark = bark;
    }

    synchronized void start() {
        next = timer.scheduleWithFixedDelay(this::tick, tick.toNanos(), tick.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void tick() {
        synchronized (this) {
            silentTicks += isListening ? 1 : 0;
            if (silentTicks <= TICKS) {
                return;
            }
        }
        stop();
        bark.run();
    }

    /** Restarts the count: a byte has arrived, or is expected from now on. */
    synchronized void listen() {
        silentTicks = 0;
        isListening = true;
    }

    /** Stops the count: the feed is not read. */
    synchronized void pause() {
        isListening = false;
    }

    synchronized void stop() {
        if (next != null) {
            next.cancel(false);
        }
    }
}
