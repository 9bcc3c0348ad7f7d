package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of one type that a worker holds, from when they are claimed until their ends are handed to the finisher.
 *
 * <p>A run is held here or by the finisher, at no time by neither: or the worker might close without it.
 *
 * @param <D> the type of the jobs' data
 */
final class TypeRuns<D> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TypeRuns.class);

    private final Object lock;
    private final JobType<D, ?> type;
    private final Keyspace keyspace;
    private final Environment environment;
    /** Cancels stages, which may call users' code. */
    private final Executor callers;

    private final ActivityRows activities;
    private final LostSlots lostSlots;
    private final Finisher finisher;
    private final Runnable onRelease;

    /** All whose end is not settled. */
    @GuardedBy("lock") private final Set<JobRun<D>> held = new LinkedHashSet<>();

    /** The number of the present round of heartbeats. */
    @GuardedBy("lock") private long round;

    /** Whether the heartbeats wait to be resumed. */
    @GuardedBy("lock") private boolean rests = true;

    /**
     * Holds no jobs yet.
     *
     * @param lock the worker's lock
     * @param onRelease called, without the lock, when a job may have been the last one that was held
     */
    TypeRuns(
            Object lock,
            JobType<D, ?> type,
            ActivityRows activities,
            LostSlots lostSlots,
            Instance instance,
            Runnable onRelease) {
        this.lock = lock;
        this.type = type;
        this.keyspace = instance.keyspace();
        this.environment = instance.environment();
        this.callers = instance.database().getExecutor();
        this.activities = activities;
        this.lostSlots = lostSlots;
        this.finisher = new Finisher(activities, type, instance);
        this.onRelease = onRelease;
    }

    JobType<D, ?> type() {
        return type;
    }

    /** {@return the activity rows that runs of the worker share} */
    ActivityRows activities() {
        return activities;
    }

    /** {@return the runs of claims that have been made} */
    List<JobRun<D>> claimed(List<GrantedClaim<D>> claims) {
        synchronized (lock) {
            List<JobRun<D>> runs = new ArrayList<>(claims.size());
            for (GrantedClaim<D> claim : claims) {
                JobRef ref = keyspace.job(type.name(), claim.job().id());
                runs.add(new JobRun<>(lock, type, claim, ref, round));
            }
            held.addAll(runs);
            return runs;
        }
    }

    boolean holdsNone() {
        synchronized (lock) {
            return held.isEmpty();
        }
    }

    /** {@return how many runs are held} */
    int count() {
        synchronized (lock) {
            return held.size();
        }
    }

    // Ends

    /**
     * Decides how a job ends, unless that is decided. {@link #write} writes it.
     *
     * @return whether it was not decided before
     */
    boolean settle(JobRun<?> run, Disposition disposition) {
        synchronized (lock) {
            held.remove(run);
            boolean first = run.settle();
            if (first) {
                finisher.add(run, disposition);
            }
            return first;
        }
    }

    /** Writes the ends that are settled. Called without the lock. */
    void write() {
        finisher.wake();
    }

    /** Gives back what {@link #settle} has released: writes it, and says that it is held no more. */
    void release() {
        write();
        onRelease.run();
    }

    /**
     * The end of a handler.
     *
     * @param isFirst whether it ends its job too
     * @param wasLost whether its slot was lost
     * @param threadGoesOn whether it ran on a thread, which can take the next job
     */
    record HandlerEnd(boolean isFirst, boolean wasLost, boolean threadGoesOn) {}

    /** Notes that a handler has ended, and how. {@link #report} does what may not be done under the lock. */
    HandlerEnd end(JobRun<?> run, Disposition disposition) {
        synchronized (lock) {
            boolean first = settle(run, disposition);
            boolean wasLost = run.over();
            if (wasLost) {
                lostSlots.regain();
            }
            boolean threadGoesOn = run.detachThread();
            run.endTimer();
            return new HandlerEnd(first, wasLost, threadGoesOn);
        }
    }

    /** Writes and logs what {@link #end} has noted. Called without the lock. */
    void report(JobRun<?> run, Disposition disposition, HandlerEnd end) {
        if (end.wasLost()) {
            LOG.info("The handler of {} has ended, and its place in the worker is free again", run);
        }
        if (end.isFirst()) {
            FailureLog.tell(run, disposition);
        }
        release();
    }

    /** Ends a job when its handler has taken so long. */
    void limit(JobRun<?> run, Duration time) {
        synchronized (lock) {
            run.limitedBy(environment
                    .scheduler()
                    .schedule(() -> stop(run, timeIsUp(time)), TimerDelays.nanos(time), TimeUnit.NANOSECONDS));
        }
    }

    private static Disposition timeIsUp(Duration time) {
        return new Disposition.Failed("The handler took longer than its time limit of " + time + ".", true);
    }

    /** Ends all jobs, whatever their handlers do. */
    void stopAll(Disposition disposition) {
        List<JobRun<D>> all;
        synchronized (lock) {
            all = List.copyOf(held);
        }
        all.forEach(run -> stop(run, disposition));
    }

    /** Ends a job and asks its handler to stop, whatever the handler does. */
    private void stop(JobRun<?> run, Disposition disposition) {
        Optional<CompletableFuture<?>> stage;
        synchronized (lock) {
            if (!settle(run, disposition)) {
                return;
            }
            if (disposition instanceof Disposition.Released) {
                run.release();
            }
            stage = run.halt();
        }
        FailureLog.tell(run, disposition);
        release();
        cancel(stage);
        lostSlots.expectEnd(run);
    }

    /** The claim is lost; unless the job has just been ended here, its handler is asked to stop. */
    private void halt(JobRun<?> run) {
        Optional<CompletableFuture<?>> stage;
        synchronized (lock) {
            if (run.isSettled()) {
                return;
            }
            held.remove(run);
            run.settle();
            run.ended();
            stage = run.halt();
        }
        LOG.info("The claim on {} is lost: it expired, or the job was removed; its handler is told to stop", run);
        onRelease.run();
        cancel(stage);
        lostSlots.expectEnd(run);
    }

    /** That may call users' code, which is not to hold up the timer, or the signs of life of others. */
    private void cancel(Optional<CompletableFuture<?>> stage) {
        stage.ifPresent(begun -> callers.execute(() -> begun.cancel(true)));
    }

    /** A transaction of the handler's has committed the job's end. */
    void endWrittenByHandler(JobRun<?> run) {
        synchronized (lock) {
            held.remove(run);
            run.settle();
            run.ended();
        }
        onRelease.run();
    }

    /**
     * A transaction of the handler's has failed because the claim is lost, or because it has ended. The handler gets
     * the error and is not interrupted, since it may be busy with it.
     */
    void claimLostInHandler(JobRun<?> run) {
        boolean first;
        synchronized (lock) {
            held.remove(run);
            first = run.settle();
            run.lose();
        }
        if (first) {
            LOG.info(
                    "The claim on {} is lost or has ended; its handler gets an error, and its outcome is not written",
                    run);
            lostSlots.expectEnd(run);
        }
        onRelease.run();
    }

    // Heartbeats

    /** {@return whether no heartbeat can be due until {@link #resumeHeartbeats}} */
    boolean suspendHeartbeats() {
        synchronized (lock) {
            rests = held.isEmpty();
            return rests;
        }
    }

    /** {@return whether heartbeats were suspended} */
    boolean resumeHeartbeats() {
        synchronized (lock) {
            boolean rested = rests;
            rests = false;
            return rested;
        }
    }

    /**
     * Begins another round of heartbeats.
     *
     * @return those whose lease was not renewed in all of the last one
     */
    List<JobRun<D>> nextRound() {
        synchronized (lock) {
            long last = round++;
            List<JobRun<D>> due = new ArrayList<>();
            for (JobRun<D> run : held) {
                if (run.lastHeartbeatRound() < last) {
                    due.add(run);
                }
            }
            return due;
        }
    }

    /** {@return whether a sign of life would not come too early} */
    boolean isSilent(JobRun<?> run) {
        synchronized (lock) {
            return run.lastHeartbeatRound() < round;
        }
    }

    /**
     * A heartbeat has been committed.
     *
     * @param before the activity rows that its jobs were known to share when it began
     */
    void heard(Heartbeat.RenewedClaims beat, Map<JobRun<?>, Optional<SharedActivity>> before) {
        synchronized (lock) {
            for (Map.Entry<JobRun<?>, Optional<SharedActivity>> heard :
                    beat.heard().entrySet()) {
                JobRun<?> run = heard.getKey();
                run.renewed(
                        before.getOrDefault(run, Optional.empty()).orElse(null),
                        heard.getValue().orElse(null),
                        round);
            }
        }
        beat.lost().forEach(this::halt);
    }

    /** The lease of a job was renewed by itself; the job shared that row when this began. */
    void heard(JobRun<?> run, @Nullable SharedActivity before) {
        synchronized (lock) {
            run.renewed(before, null, round);
        }
    }

    // Closing

    /** {@return when everything has been written that has been settled so far} */
    CompletableFuture<Void> drained() {
        return finisher.drained();
    }

    @Override
    public void close() {
        finisher.close();
    }
}
