package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.common.Completions;
import dev.couchjobs.fdb.internal.common.EngineFailure;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Waits without a thread. When the engine closes every wait ends, so that no caller waits for a timer that is gone. */
public final class Timers {
    private final ScheduledExecutorService scheduler;
    private final EngineFailure failure;
    private final Map<Long, CompletableFuture<?>> pending = new ConcurrentHashMap<>();
    private final Set<Alarm> alarms = ConcurrentHashMap.newKeySet();
    private final AtomicLong started = new AtomicLong();
    private volatile boolean closed;

    Timers(ScheduledExecutorService scheduler, EngineFailure failure) {
        this.scheduler = scheduler;
        this.failure = failure;
    }

    /**
     * Completes after the delay, on the scheduler's thread; cancelling it frees the timer; fails when the engine
     * closes.
     */
    CompletableFuture<@Nullable Void> after(long nanos) {
        CompletableFuture<@Nullable Void> delay = new CompletableFuture<>();
        long id = started.incrementAndGet();
        pending.put(id, delay);
        try {
            Future<?> timer =
                    scheduler.schedule(failure.guard(() -> delay.complete(null)), nanos, TimeUnit.NANOSECONDS);
            Completions.whenSettled(delay, error -> {
                pending.remove(id);
                timer.cancel(false);
            });
        } catch (RejectedExecutionException stopped) {
            pending.remove(id);
            delay.completeExceptionally(Engine.closedError());
        }
        if (closed) {
            delay.completeExceptionally(Engine.closedError());
        }
        return delay;
    }

    /**
     * Runs an action after the delay, on the scheduler's thread, unless the engine closes before: cheaper than
     * {@link #after}, also to cancel.
     */
    Alarm alarm(long nanos, Runnable action) {
        Alarm alarm = new Alarm(action);
        alarms.add(alarm);
        try {
            alarm.timer = scheduler.schedule(alarm, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException stopped) {
            alarm.cancel();
        }
        if (closed) {
            alarm.cancel();
        }
        return alarm;
    }

    /** Frees every timer. */
    void close() {
        closed = true;
        pending.values().forEach(delay -> delay.completeExceptionally(Engine.closedError()));
        alarms.forEach(Alarm::cancel);
    }

    /** An action that waits for its time. */
    public final class Alarm implements Runnable {
        private final Runnable action;
        private volatile @Nullable Future<?> timer;

        private Alarm(Runnable action) {
            this.action = action;
        }

        @Override
        public void run() {
            try {
                if (alarms.remove(this)) {
                    action.run();
                }
            } catch (Throwable error) {
                failure.report(error);
            }
        }

        /** Neither the scheduler nor the engine holds the action afterwards. */
        public void cancel() {
            alarms.remove(this);
            Future<?> scheduled = timer;
            if (scheduled != null) {
                scheduled.cancel(false);
            }
        }
    }
}
