package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The slots of a worker whose handlers run on long after they were told to stop. */
final class StuckSlots {
    private static final Logger LOG = LoggerFactory.getLogger(StuckSlots.class);

    /** How long a handler may run on after it was told to stop, before its slot counts as stuck. */
    private static final Duration STOP_GRACE_PERIOD = Duration.ofSeconds(10);

    private final Object lock;
    private final Environment environment;
    private final Executor callers;
    private final IntSupplier slots;

    @GuardedBy("lock") private int stuck;

    @GuardedBy("lock") private boolean closed;

    /**
     * @param lock the worker's lock
     * @param callers reads the stacks of threads, and warns
     * @param slots how many slots the worker has
     */
    StuckSlots(Object lock, Environment environment, Executor callers, IntSupplier slots) {
        this.lock = lock;
        this.environment = environment;
        this.callers = callers;
        this.slots = slots;
    }

    /** The handler of a run has been told to stop. */
    void expectReturn(JobRun<?> run) {
        var unused = environment
                .scheduler()
                .schedule(
                        () -> callers.execute(() -> markStuckUnlessReturned(run)),
                        TimerDelays.nanos(STOP_GRACE_PERIOD),
                        TimeUnit.NANOSECONDS);
    }

    private void markStuckUnlessReturned(JobRun<?> run) {
        Throwable stack = new Throwable("the stack of its thread");
        int stuckNow;
        synchronized (lock) {
            if (!run.hasSlot() || closed) {
                return;
            }
            run.markStuck();
            stuckNow = ++stuck;
            stack.setStackTrace(run.thread().map(Thread::getStackTrace).orElse(new StackTraceElement[0]));
        }
        LOG.warn(
                "The handler of {} still runs {} s after it was told to stop. Its slot is stuck until it returns; {} of"
                        + " {} slots are stuck. A handler must return when it is interrupted, or when its stage is"
                        + " cancelled.",
                run,
                STOP_GRACE_PERIOD.toSeconds(),
                stuckNow,
                slots.getAsInt(),
                stack);
    }

    /** The handler of a stuck slot has returned. */
    void handlerReturned() {
        synchronized (lock) {
            stuck--;
        }
    }

    int count() {
        synchronized (lock) {
            return stuck;
        }
    }

    /** The worker closes: no further slot counts as stuck. */
    void close() {
        synchronized (lock) {
            closed = true;
        }
    }
}
