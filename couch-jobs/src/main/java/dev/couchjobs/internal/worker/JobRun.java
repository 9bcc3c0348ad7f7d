package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.views.ClaimedJob;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job, from when it is taken to its end.
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

    @GuardedBy("lock") private boolean ended;

    @GuardedBy("lock") private long lastHeartbeatRound;

    @GuardedBy("lock") private RunState state = RunState.WAITING;

    /** Whether the handler was asked to stop. A handler that ends its job itself may continue. */
    private volatile boolean halted;

    /** Whether the worker has given the job back. Another processor may have it before its handler notices. */
    private volatile boolean released;

    /** The thread that runs its handler, to be interrupted. */
    @GuardedBy("lock") private @Nullable Thread thread;

    /** What its handler has begun, to be cancelled. */
    @GuardedBy("lock") private @Nullable CompletableFuture<?> stage;

    /** Ends it when its time limit is up. */
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

    /** Its end has been committed, or it has been lost: nothing of it is left under any activity row. */
    void ended() {
        synchronized (lock) {
            moveTo(null);
            ended = true;
        }
    }

    /**
     * Its lease was renewed in a round, by itself or under another activity row. Answers may come in another order than
     * the commits that they report. So if it has moved since this began, it may be under either row: it stays where it
     * is, and the other row is not known to become empty either.
     *
     * @param before the activity row that the job was known to share when this began
     * @param after the one that it shares from this commit on
     */
    void renewed(@Nullable SharedActivity before, @Nullable SharedActivity after, long round) {
        synchronized (lock) {
            lastHeartbeatRound = round;
            confirmed = true;
            if (!ended && activity == before) {
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

    boolean isSettled() {
        synchronized (lock) {
            return state.isSettled();
        }
    }

    /**
     * The end of the job is decided, or nothing of it is left to be written.
     *
     * @return whether that was not so before
     */
    boolean settle() {
        synchronized (lock) {
            boolean first = !state.isSettled();
            state = state.settled();
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

    void stuck() {
        synchronized (lock) {
            state = state.stuck();
        }
    }

    /**
     * The handler of a settled run has ended.
     *
     * @return whether its slot was counted as lost
     */
    boolean over() {
        synchronized (lock) {
            boolean wasStuck = state == RunState.STUCK;
            state = state.over();
            return wasStuck;
        }
    }

    boolean isHalted() {
        return halted;
    }

    boolean isReleased() {
        return released;
    }

    void release() {
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
            state = state.started();
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

    /** It is another's; its handler is to learn that by itself. */
    void lose() {
        halted = true;
    }

    void limitedBy(Future<?> timer) {
        synchronized (lock) {
            this.timer = timer;
        }
    }

    void endTimer() {
        synchronized (lock) {
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    /**
     * Its handler has begun something that will come to its end by itself.
     *
     * @return whether that is to be cancelled, because the handler was told to stop before
     */
    boolean started(CompletableFuture<?> stage) {
        synchronized (lock) {
            this.stage = stage;
            return halted;
        }
    }

    @Override
    public String toString() {
        return job.type() + "/" + job.id(); // not the lock, which lets its holder write
    }
}
