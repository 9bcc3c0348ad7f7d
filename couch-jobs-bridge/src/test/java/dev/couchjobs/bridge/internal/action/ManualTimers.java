package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Timers that a test fires. Their delays identify them. */
final class ManualTimers extends AbstractExecutorService implements ScheduledExecutorService {
    static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    private final List<Timer<?>> timers = new ArrayList<>();

    Environment environment() {
        return new Environment(() -> NOW, this, new Random(1));
    }

    /** Waits for a timer with the given delay, and fires it. */
    synchronized void fire(Duration delay) throws InterruptedException {
        Optional<Timer<?>> due = find(delay);
        while (due.isEmpty()) {
            wait();
            due = find(delay);
        }
        timers.remove(due.get());
        due.get().run();
    }

    /** Waits until no timer is set. A result may be visible before its timers are cancelled. */
    synchronized void awaitNone() throws InterruptedException {
        while (!timers.stream().allMatch(Timer::isCancelled)) {
            wait();
        }
    }

    private synchronized void changed() {
        notifyAll();
    }

    private Optional<Timer<?>> find(Duration delay) {
        return timers.stream().filter(timer -> timer.delay.equals(delay)).findFirst();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return schedule(Executors.callable(command), delay, unit);
    }

    @Override
    public synchronized <V> ScheduledFuture<V> schedule(Callable<V> command, long delay, TimeUnit unit) {
        Timer<V> timer = new Timer<>(command, Duration.of(delay, unit.toChronoUnit()));
        timers.add(timer);
        notifyAll();
        return timer;
    }

    @Override
    public void execute(Runnable command) {
        command.run();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long first, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }

    private final class Timer<V> extends FutureTask<V> implements ScheduledFuture<V> {
        final Duration delay;

        Timer(Callable<V> command, Duration delay) {
            super(command);
            this.delay = delay;
        }

        @Override
        protected void done() {
            changed();
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(delay);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
