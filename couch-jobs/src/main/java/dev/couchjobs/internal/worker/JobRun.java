package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
 * A claimed job, from the claim to the end of its handler: its thread, its stage and its activity row.
 *
 * @param <D> the type of the job's data
 */
final class JobRun<D> extends Run<JobRun<?>> {
    private final Object lock;
    private final HandledType<D> type;
    private final ClaimedJob<D> job;
    private final JobRef ref;

    /** The activity row that the job is known to share; null if it has its own, or that is not known. */
    @GuardedBy("lock") private @Nullable SharedActivity activity;

    @GuardedBy("lock") private boolean hasLeftActivityRow;

    /** Whether a transaction of the handler's ends the job, and its result is not known. */
    private volatile boolean ending;

    /** The thread that runs the handler, to be interrupted. */
    @GuardedBy("lock") private @Nullable Thread thread;

    /** The stage that the handler has returned, or else middleware, to be cancelled. */
    @GuardedBy("lock") private @Nullable CompletableFuture<?> stage;

    /** Stops the run when its time limit is up. */
    @GuardedBy("lock") private @Nullable Future<?> timer;

    /** When the handler was called, and when the disposition was decided, if there are listeners. */
    private volatile @Nullable Instant startedAt;

    private volatile @Nullable Instant endedAt;

    /** When its lease was last known to be renewed, if there are listeners. */
    private volatile @Nullable Instant leasedAt;

    /** @param lock the worker's lock */
    JobRun(Object lock, HandledType<D> type, GrantedClaim<D> claim, JobRef ref) {
        super(claim.job().isKnownToHaveBegun());
        this.lock = lock;
        this.type = type;
        this.job = claim.job().as(type.type());
        this.activity = claim.activity();
        this.ref = ref;
    }

    @Override
    int bytes() {
        return job.bytes();
    }

    @Override
    boolean isSuspect() {
        return job.isSuspect();
    }

    @Override
    TypeState<JobRun<?>> typeState() {
        return type.state();
    }

    HandledType<D> type() {
        return type;
    }

    ClaimedJob<D> job() {
        return job;
    }

    JobRef ref() {
        return ref;
    }

    /** {@return whether another job of the type may wait for the end of this one} */
    boolean mayFreeOthers() {
        return job.sharesKeys() || typeState().isLimited();
    }

    // The activity row

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
     * The lease was renewed under an own or a shared activity row. Answers may come in another order than the commits
     * that they report. If the job has moved to another row since the renewal began, it may be under either row: it
     * stays counted under its present row, and the other row is not known to become empty.
     *
     * @param before the activity row that the job was known to share when the renewal began
     * @param after the activity row that it shares from this commit on
     */
    void renewedUnder(@Nullable SharedActivity before, @Nullable SharedActivity after) {
        synchronized (lock) {
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

    // The handler

    /** The handler begins on the current thread. */
    void attachThread() {
        synchronized (lock) {
            thread = Thread.currentThread();
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

    /** {@return the thread that runs its handler, if one does} */
    Optional<Thread> thread() {
        synchronized (lock) {
            return Optional.ofNullable(thread);
        }
    }

    /** Interrupts the thread. {@return the stage to cancel without the lock, if there is one} */
    Optional<CompletableFuture<?>> interrupt() {
        synchronized (lock) {
            if (thread != null) {
                thread.interrupt();
            }
            return Optional.ofNullable(stage);
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
            return isHalted();
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
            return isHalted();
        }
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

    boolean isEnding() {
        return ending;
    }

    void setEnding(boolean isEnding) {
        ending = isEnding;
    }

    // Times for listeners

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

    @Override
    public String toString() {
        return LogText.of(job.type() + "/" + job.id()); // not the lock, which lets its holder write
    }
}
