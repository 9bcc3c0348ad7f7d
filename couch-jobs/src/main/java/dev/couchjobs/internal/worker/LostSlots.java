package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The slots of a worker whose handlers go on long after they were told to stop. */
final class LostSlots {
    private static final Logger LOG = LoggerFactory.getLogger(LostSlots.class);

    /** How long a handler may go on that was told to stop, before the worker warns. */
    private static final Duration OBEYS_WITHIN = Duration.ofSeconds(10);

    private final Object lock;
    private final Environment environment;
    private final Executor callers;
    private final int slots;

    @GuardedBy("lock") private int lost;

    @GuardedBy("lock") private boolean closed;

    /**
     * Begins with none.
     *
     * @param lock the worker's lock
     * @param callers reads the stacks of threads, and warns
     * @param slots how many slots the worker has
     */
    LostSlots(Object lock, Environment environment, Executor callers, int slots) {
        this.lock = lock;
        this.environment = environment;
        this.callers = callers;
        this.slots = slots;
    }

    /** The handler of a run has been told to stop. */
    void expectEnd(JobRun<?> run) {
        var unused = environment
                .scheduler()
                .schedule(
                        () -> callers.execute(() -> loseUnlessEnded(run)),
                        TimerDelays.nanos(OBEYS_WITHIN),
                        TimeUnit.NANOSECONDS);
    }

    private void loseUnlessEnded(JobRun<?> run) {
        Throwable where = new Throwable("where its thread is");
        int all;
        synchronized (lock) {
            if (!run.hasSlot() || closed) {
                return;
            }
            run.stuck();
            all = ++lost;
            where.setStackTrace(run.thread().map(Thread::getStackTrace).orElse(new StackTraceElement[0]));
        }
        LOG.warn(
                "The handler of {} goes on, though it was told to stop {} ago: its place is lost until it ends, {}"
                        + " of {} are."
                        + " Let handlers end when they are interrupted, or their stages when they are cancelled.",
                run,
                OBEYS_WITHIN,
                all,
                slots,
                where);
    }

    /** A handler has ended whose slot was lost. */
    void regain() {
        synchronized (lock) {
            lost--;
        }
    }

    int count() {
        synchronized (lock) {
            return lost;
        }
    }

    /** No slot is counted from now on: the worker closes. */
    void close() {
        synchronized (lock) {
            closed = true;
        }
    }
}
