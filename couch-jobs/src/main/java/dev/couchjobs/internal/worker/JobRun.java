package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.activity.SharedActivity;
import dev.couchjobs.internal.loop.LogText;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.views.ClaimedJob;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job, from the claim to the end of its handler.
 *
 * <p>The lock is the worker's, which all runs share: a caller that holds it sees several runs at one moment.
 *
 * @param <D> the type of the job's data
 */
final class JobRun<D> {
    private final Object lock;
    private final ClaimedJob<D> job;
    private final JobRef ref;

    /** The activity row that the job is known to share; null if it has its own, or that is not known. */
    @GuardedBy("lock") private @Nullable SharedActivity activity;

    /** Whether the database knows that the work has begun. */
    @GuardedBy("lock") private boolean confirmed;

    @GuardedBy("lock") private boolean hasLeftActivityRow;

    @GuardedBy("lock") private long lastHeartbeatRound;

    @GuardedBy("lock") private RunState state = RunState.WAITING;

    /** Whether the handler was asked to stop. A handler that ends its job itself may continue. */
    private volatile boolean halted;

    /** Whether the job was cancelled by another than its handler. */
    private volatile boolean cancelled;

    /** Whether a transaction of the handler's ends the job, and its result is not known. */
    private volatile boolean ending;

    /** Whether the worker has released the job. Another processor may claim it before the handler learns of that. */
    private volatile boolean released;

    /** The thread that runs the handler, to be interrupted. */
    @GuardedBy("lock") private @Nullable Thread thread;

    /** The stage that the handler has returned, or else middleware, to be cancelled. */
    @GuardedBy("lock") private @Nullable CompletableFuture<?> stage;

    /** When the handler was called, and when the disposition was decided, if there are listeners. */
    private volatile @Nullable Instant startedAt;

    private volatile @Nullable Instant endedAt;

    /** When its lease was last known to be renewed, if there are listeners. */
    private volatile @Nullable Instant leasedAt;

    /** Stops the run when its time limit is up. */
    @GuardedBy("lock") private @Nullable Future<?> timer;

    JobRun(Object lock, JobType<D, ?> type, GrantedClaim<D> claimed, JobRef ref, long lastHeartbeatRound) {
        this.lock = lock;
        this.job = claimed.job().as(type);
        this.confirmed = job.isKnownToHaveBegun();
        this.activity = claimed.activity();
        this.ref = ref;
        this.lastHeartbeatRound = lastHeartbeatRound;
    }

    ClaimedJob<D> job() {
        return job;
    }

    JobRef ref() {
        return ref;
    }

    @Nullable SharedActivity activity() {
        synchronized (lock) {
            return activity;
        }
    }

    /** The end is written, or the claim is lost: no activity row counts the job from now on. */
    void leaveActivityRow() {
        synchronized (lock) {
            moveTo(null);
            hasLeftActivityRow = true;
        }
    }

    /**
     * The lease was renewed in a round, under an own or a shared activity row. Answers may come in another order than
     * the commits that they report. If the job has moved to another row since the renewal began, it may be under either
     * row: it stays counted under its present row, and the other row is not known to become empty.
     *
     * @param before the activity row that the job was known to share when the renewal began
     * @param after the activity row that it shares from this commit on
     */
    void renewed(@Nullable SharedActivity before, @Nullable SharedActivity after, long round) {
        synchronized (lock) {
            lastHeartbeatRound = round;
            confirmed = true;
            if (!hasLeftActivityRow && activity == before) {
                moveTo(after);
            }
        }
    }

    @GuardedBy("lock") private void moveTo(@Nullable SharedActivity other) {
        if (activity != null) {
            activity.leave(1);
        }
        activity = other;
    }

    /** The round of heartbeats in which its lease was last renewed. */
    long lastHeartbeatRound() {
        synchronized (lock) {
            return lastHeartbeatRound;
        }
    }

    boolean isConfirmed() {
        synchronized (lock) {
            return confirmed;
        }
    }

    boolean isDecided() {
        synchronized (lock) {
            return state.isDecided();
        }
    }

    /**
     * Decides the disposition, or notes that the claim is lost and has none.
     *
     * @return whether it was not decided before
     */
    boolean decide() {
        synchronized (lock) {
            boolean first = !state.isDecided();
            state = state.decided();
            return first;
        }
    }

    /** {@return the thread that runs its handler, if one does} */
    Optional<Thread> thread() {
        synchronized (lock) {
            return Optional.ofNullable(thread);
        }
    }

    /** {@return whether it has a slot} */
    boolean hasSlot() {
        synchronized (lock) {
            return state.hasSlot();
        }
    }

    void markStuck() {
        synchronized (lock) {
            state = state.stuck();
        }
    }

    /**
     * The handler of a decided run has returned.
     *
     * @return whether its slot was counted as stuck
     */
    boolean handlerReturned() {
        synchronized (lock) {
            boolean wasStuck = state == RunState.STUCK;
            state = state.handlerReturned();
            return wasStuck;
        }
    }

    void setStartedAt(Instant time) {
        startedAt = time;
    }

    Optional<Instant> startedAt() {
        return Optional.ofNullable(startedAt);
    }

    void setLeasedAt(Instant time) {
        leasedAt = time;
    }

    Optional<Instant> leasedAt() {
        return Optional.ofNullable(leasedAt);
    }

    void setEndedAt(Instant time) {
        endedAt = time;
    }

    Optional<Instant> endedAt() {
        return Optional.ofNullable(endedAt);
    }

    boolean isHalted() {
        return halted;
    }

    boolean isCancelled() {
        return cancelled;
    }

    void markCancelled() {
        cancelled = true;
    }

    boolean isEnding() {
        return ending;
    }

    void setEnding(boolean isEnding) {
        ending = isEnding;
    }

    boolean isReleased() {
        return released;
    }

    void markReleased() {
        released = true;
    }

    /** Asks the handler to stop; the caller then cancels the stage that this returns, without the lock. */
    Optional<CompletableFuture<?>> halt() {
        synchronized (lock) {
            halted = true;
            if (thread != null) {
                thread.interrupt();
            }
            return Optional.ofNullable(stage);
        }
    }

    void begin(Thread thread) {
        synchronized (lock) {
            state = state.handlerStarted();
            this.thread = thread;
        }
    }

    /**
     * An interrupt that comes too late must not meet the next job on this thread.
     *
     * @return whether it was on a thread
     */
    boolean detachThread() {
        synchronized (lock) {
            if (thread == null) {
                return false;
            }
            thread = null;
            Thread.interrupted();
            return true;
        }
    }

    /** Halts the run without an interrupt: the handler gets an error, or has returned. */
    void markHalted() {
        halted = true;
    }

    void setTimer(Future<?> timer) {
        synchronized (lock) {
            this.timer = timer;
        }
    }

    void cancelTimer() {
        synchronized (lock) {
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    /**
     * The handler has returned a stage, which ends later.
     *
     * @return whether to cancel the stage, because the handler was told to stop before
     */
    boolean stageReturned(CompletableFuture<?> stage) {
        synchronized (lock) {
            this.stage = stage;
            return halted;
        }
    }

    /**
     * Middleware has returned a stage, which ends later.
     *
     * @return whether to cancel the stage: the run was told to stop before, and there is no stage of the handler
     */
    boolean outerStageReturned(CompletableFuture<?> outer) {
        synchronized (lock) {
            if (stage != null) {
                return false;
            }
            stage = outer;
            return halted;
        }
    }

    @Override
    public String toString() {
        return LogText.of(job.type() + "/" + job.id()); // not the lock, which lets its holder write
    }
}
