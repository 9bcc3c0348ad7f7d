package dev.couchjobs.internal.loop;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timers of one environment. Their daemon thread starts with the first timer and ends a second after the last one.
 * Timers that are set after {@link #close} never go off.
 */
public final class SystemTimer extends ScheduledThreadPoolExecutor implements AutoCloseable {
    private static final long IDLE_SECONDS = 1;
    private static final long END_SECONDS = 10;

    public SystemTimer() {
        super(1, new DaemonThreads("couch-jobs-timer-"), (late, closed) -> {});
        setRemoveOnCancelPolicy(true);
        setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        allowCoreThreadTimeOut(true);
    }

    /** Drops all timers, and waits until the thread has ended unless it is the one that calls. */
    @Override
    public void close() {
        shutdown(); // which interrupts no task, and so not the thread that calls
        try {
            ((DaemonThreads) getThreadFactory()).awaitEnd(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
