package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Timers that the test runs, on its own thread. */
final class ManualTime extends AbstractExecutorService implements ScheduledExecutorService, InstantSource {
    /** The time limit of requests; shorter timers are pauses. */
    static final Duration TIMEOUT = Duration.ofHours(1);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<Timer> timers = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    /** {@return an environment with this time, in which pauses are not shortened} */
    Environment environment() {
        return new Environment(this, this, () -> 0L);
    }

    @Override
    public synchronized Instant instant() {
        return now;
    }

    /** {@return the length of the next pause, as soon as there is one; it has then ended} */
    Duration passPause() {
        Timer pause = awaitTimer(Timer::isPause);
        pass(pause);
        return pause.delay;
    }

    /** Waits for a pause. */
    void awaitPause() {
        var unused = awaitTimer(Timer::isPause);
    }

    synchronized boolean hasPauses() {
        return timers.stream().anyMatch(Timer::isPause);
    }

    /** Runs the timer of a request's time limit. */
    void passTimeout() {
        pass(awaitTimer(timer -> timer.delay.equals(TIMEOUT)));
    }

    /** Runs the timer with the given delay, as soon as there is one. */
    void pass(Duration delay) {
        pass(awaitTimer(timer -> timer.delay.equals(delay)));
    }

    private void pass(Timer timer) {
        synchronized (this) {
            timers.remove(timer);
            now = now.plus(timer.delay);
        }
        timer.run();
    }

    /** Runs all periodic timers once. */
    void tick() {
        for (Timer timer : periodic()) {
            synchronized (this) {
                now = now.plus(timer.delay);
            }
            timer.runAndReset();
        }
    }

    boolean hasPeriodicTimers() {
        return !periodic().isEmpty();
    }

    private synchronized List<Timer> periodic() {
        return timers.stream().filter(timer -> timer.isPeriodic).toList();
    }

    private synchronized Timer awaitTimer(Predicate<Timer> wanted) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var found = timers.stream().filter(wanted).findFirst();
            if (found.isPresent()) {
                return found.get();
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("Nobody has set such a timer");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private synchronized ScheduledFuture<?> add(Runnable task, Duration delay, boolean isPeriodic) {
        Timer timer = new Timer(task, delay, isPeriodic);
        timers.add(timer);
        notifyAll();
        return timer;
    }

    private synchronized void forget(Timer timer) {
        timers.remove(timer);
    }

    private final class Timer extends FutureTask<@Nullable Void> implements ScheduledFuture<@Nullable Void> {
        private final Duration delay;
        private final boolean isPeriodic;

        Timer(Runnable task, Duration delay, boolean isPeriodic) {
            super(task, null);
            this.delay = delay;
            this.isPeriodic = isPeriodic;
        }

        boolean isPause() {
            return !isPeriodic && delay.compareTo(TIMEOUT) < 0;
        }

        @Override
        public boolean runAndReset() {
            return super.runAndReset();
        }

        @Override
        protected void done() {
            forget(this);
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

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return add(command, Duration.ofNanos(unit.toNanos(delay)), false);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return add(command, Duration.ofNanos(unit.toNanos(delay)), true);
    }

    @Override
    public void execute(Runnable command) {
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
        return false;
    }
}
