package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which the handlers of a worker run.
 *
 * <p>Threads are not kept. A thread starts when a job can begin that no thread takes. It takes jobs as long as any can
 * begin, and ends. A thread that takes a job while another job can begin starts the next thread.
 */
final class HandlerThreads {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerThreads.class);
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);
    private static final int DOUBLINGS_MAX = 5;
    /** The executor counts as refusing a task that it has not begun for so long: it may have dropped it. */
    private static final Duration BEGINS_WITHIN = Duration.ofSeconds(10);

    /** Of the worker whose handler runs on the current thread. */
    private static final ThreadLocal<@Nullable HandlerThreads> AT_WORK = new ThreadLocal<>();

    private final Object lock;
    private final Environment environment;
    private final Executor executor;
    private final Work work;

    /** Whether the executor has been given a thread's task that has not begun. */
    @GuardedBy("lock") private boolean threadRequested;

    /** How long jobs have waited for that task, as the checks have found. */
    @GuardedBy("lock") private Duration notBegun = Duration.ZERO;

    /** How often the executor has refused a thread's task since a task has begun. */
    @GuardedBy("lock") private int refusals;

    /** The jobs that the threads run. */
    interface Work {
        /** {@return whether a job can begin} Called with the worker's lock. */
        boolean canBegin();

        /** {@return the run of the next job that can begin, which has taken a slot} */
        Optional<Runnable> begin();

        /** The executor still refuses threads: releases the jobs that wait, and claims none until {@link #retry}. */
        void refused();

        /** Claims jobs again, and starts a thread if jobs wait. */
        void retry();
    }

    /** @param lock the worker's lock */
    HandlerThreads(Object lock, Environment environment, Executor executor, Work work) {
        this.lock = lock;
        this.environment = environment;
        this.executor = executor;
        this.work = work;
    }

    /** {@return whether the current thread runs a handler of this worker} */
    boolean isCalledByHandler() {
        return AT_WORK.get() == this;
    }

    /** Starts a thread if a job can begin, unless one is being started. */
    void startIfNeeded() {
        synchronized (lock) {
            if (threadRequested || !work.canBegin()) {
                return;
            }
            threadRequested = true;
            notBegun = Duration.ZERO;
        }
        try {
            executor.execute(this::run);
        } catch (Throwable e) { // also an error: there may be no more threads at present
            refused(e);
        }
    }

    /**
     * Asks the executor again for a thread that it has not started for a while.
     *
     * @param passed the time since the last check, while jobs waited
     */
    void checkBegun(Duration passed) {
        synchronized (lock) {
            notBegun = notBegun.plus(passed);
            if (!threadRequested || notBegun.compareTo(BEGINS_WITHIN) < 0) {
                return;
            }
        }
        refused(new RejectedExecutionException("It has not begun a task for " + DurationText.of(BEGINS_WITHIN)));
    }

    private void refused(Throwable error) {
        Duration pause;
        boolean isLasting;
        synchronized (lock) {
            threadRequested = false;
            pause = AFTER_REFUSAL.multipliedBy(1L << Math.min(refusals, DOUBLINGS_MAX));
            isLasting = refusals++ > 0;
        }
        LOG.warn(
                "The executor of a worker refuses its jobs: {}. It is asked again in {}",
                RootCauses.text(error),
                DurationText.of(pause));
        if (isLasting) {
            work.refused();
        }
        var unused = environment.scheduler().schedule(work::retry, TimerDelays.nanos(pause), TimeUnit.NANOSECONDS);
    }

    private void run() {
        synchronized (lock) {
            threadRequested = false;
            refusals = 0;
        }
        HandlerThreads outer = AT_WORK.get();
        AT_WORK.set(this);
        try {
            for (Optional<Runnable> next = work.begin(); next.isPresent(); next = work.begin()) {
                startIfNeeded();
                next.get().run();
            }
        } finally {
            AT_WORK.set(outer);
        }
    }
}
