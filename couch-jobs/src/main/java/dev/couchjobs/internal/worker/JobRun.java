package dev.couchjobs.internal.worker;

import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.views.ClaimedJob;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job, from when it is taken to its end. All of it is guarded by the pool, but for what never changes.
 *
 * @param <D> the type of the job's data
 */
final class JobRun<D> {
    private final TypeQueue<D> queue;
    private final ClaimedJob<D> job;
    private final JobRef ref;

    /** The activity row that the job is known to share; null if it has its own, or that is not known. */
    private @Nullable SharedActivity activity;

    /** Whether the database knows that the work has begun. */
    private boolean confirmed;

    private boolean ended;
    private long lastHeartbeatRound;

    private RunState state = RunState.WAITING;
    /** Null until the run is settled, and afterwards if the run was dropped. */
    private @Nullable Disposition disposition;

    /** Whether the handler is told to stop. A handler that ends its job itself goes on without it. */
    private volatile boolean halted;
    /** The thread that runs its handler, to be interrupted. */
    private @Nullable Thread thread;
    /** What its handler has begun, to be cancelled. */
    private @Nullable CompletableFuture<?> stage;
    /** Ends it when its time limit is up. */
    private @Nullable Future<?> timer;

    JobRun(TypeQueue<D> queue, GrantedClaim<D> claimed, JobRef ref, long lastHeartbeatRound) {
        this.queue = queue;
        this.job = claimed.job().as(queue.type());
        this.confirmed = job.isKnownToHaveBegun();
        this.activity = claimed.activity();
        this.ref = ref;
        this.lastHeartbeatRound = lastHeartbeatRound;
    }

    TypeQueue<D> queue() {
        return queue;
    }

    ClaimedJob<D> job() {
        return job;
    }

    JobRef ref() {
        return ref;
    }

    @Nullable SharedActivity activity() {
        return activity;
    }

    /** Its end has been committed, or it has been lost: nothing of it is left under any activity row. */
    void ended() {
        moveTo(null);
        ended = true;
    }

    /**
     * It has been heard of in a round, by itself or under another activity row. Answers may come in another order than
     * the commits that they tell of. So if it has moved since this began, it may be under either row: it stays where it
     * is, and the other row is not known to become empty either.
     *
     * @param before the activity row that the job was known to share when this began
     * @param after the one that it shares from this commit on
     */
    void renewed(@Nullable SharedActivity before, @Nullable SharedActivity after, long round) {
        lastHeartbeatRound = round;
        confirmed = true;
        if (!ended && activity == before) {
            moveTo(after);
        }
    }

    private void moveTo(@Nullable SharedActivity other) {
        if (activity != null) {
            activity.leave(1);
        }
        activity = other;
    }

    /** The round of heartbeats in which it was last heard of. */
    long lastHeartbeatRound() {
        return lastHeartbeatRound;
    }

    boolean isConfirmed() {
        return confirmed;
    }

    boolean isSettled() {
        return state.isSettled();
    }

    /** Sets the disposition, unless one is set already. */
    boolean settle(Disposition disposition) {
        if (!drop()) {
            return false;
        }
        this.disposition = disposition;
        return true;
    }

    /** Drops the run without a disposition, because it has ended or its claim is lost. */
    boolean drop() {
        boolean first = !state.isSettled();
        state = state.settled();
        return first;
    }

    Disposition disposition() {
        return Objects.requireNonNull(disposition, "how");
    }

    /** {@return the thread that runs its handler, if one does} */
    Optional<Thread> thread() {
        return Optional.ofNullable(thread);
    }

    /** {@return whether it has a place} */
    boolean hasSlot() {
        return state.hasSlot();
    }

    void stuck() {
        state = state.stuck();
    }

    /**
     * The handler of a settled run has ended.
     *
     * @return whether its slot was counted as lost
     */
    boolean over() {
        boolean wasStuck = state == RunState.STUCK;
        state = state.over();
        return wasStuck;
    }

    boolean isHalted() {
        return halted;
    }

    /** Tells the handler to stop; the caller then cancels the stage that it returns, without the pool's lock. */
    Optional<CompletableFuture<?>> halt() {
        halted = true;
        if (thread != null) {
            thread.interrupt();
        }
        return Optional.ofNullable(stage);
    }

    void begin(Thread thread) {
        state = state.begun();
        this.thread = thread;
    }

    /**
     * An interrupt that comes too late must not meet the next job on this thread.
     *
     * @return whether it was on a thread
     */
    boolean detachThread() {
        if (thread == null) {
            return false;
        }
        thread = null;
        Thread.interrupted();
        return true;
    }

    /** It is another's; its handler is to learn that by itself. */
    void lose() {
        halted = true;
    }

    void limitedBy(Future<?> timer) {
        this.timer = timer;
    }

    void endTimer() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    void begun(CompletableFuture<?> stage) {
        this.stage = stage;
    }

    @Override
    public String toString() {
        return job.type() + "/" + job.id(); // not the lock, which lets its holder write
    }
}
