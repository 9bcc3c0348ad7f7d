package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs that have started although their rows do not say so yet, because they were claimed in a batch or prefetched.
 * Runs longer than one period are written in batches. Shorter runs need no write.
 */
final class UnconfirmedStarts {
    /** How long a job runs at least before its start is stored, unless its claim has stored it. */
    private static final Duration PERIOD = Duration.ofMillis(400);

    private final Object lock;
    private final Environment environment;
    private final Consumer<List<JobRun<?>>> confirm;

    @GuardedBy("lock") private List<JobRun<?>> currentPeriod = new ArrayList<>();

    @GuardedBy("lock") private List<JobRun<?>> previousPeriod = new ArrayList<>();

    @GuardedBy("lock") private boolean isPeriodRunning;

    /**
     * @param lock the worker's lock
     * @param confirm writes that runs have started; called without the lock
     */
    UnconfirmedStarts(Object lock, Environment environment, Consumer<List<JobRun<?>>> confirm) {
        this.lock = lock;
        this.environment = environment;
        this.confirm = confirm;
    }

    /** A run has started. */
    void started(JobRun<?> run) {
        synchronized (lock) {
            if (run.isConfirmed()) {
                return;
            }
            currentPeriod.add(run);
            if (!isPeriodRunning) {
                isPeriodRunning = true;
                startPeriod();
            }
        }
    }

    private void startPeriod() {
        var unused = environment.scheduler().schedule(this::endPeriod, TimerDelays.nanos(PERIOD), TimeUnit.NANOSECONDS);
    }

    private void endPeriod() {
        List<JobRun<?>> due;
        synchronized (lock) {
            due = previousPeriod; // they have run for a whole period
            due.removeIf(run -> run.isDecided() || run.isConfirmed());
            previousPeriod = currentPeriod;
            previousPeriod.removeIf(JobRun::isDecided);
            currentPeriod = new ArrayList<>();
            isPeriodRunning = !previousPeriod.isEmpty();
            if (isPeriodRunning) {
                startPeriod();
            }
        }
        confirm.accept(due);
    }
}
