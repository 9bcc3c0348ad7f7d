package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.activity.SharedActivity;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
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
 * The jobs of one type that a worker holds, from the claim until the finisher takes over the decided run.
 *
 * <p>Either this object or the finisher holds a run, at any time: a worker must not close while it has one.
 *
 * @param <D> the type of the jobs' data
 */
final class TypeRuns<D> {
    private static final Logger LOG = LoggerFactory.getLogger(TypeRuns.class);

    private final Object lock;
    private final JobType<D, ?> type;
    private final Keyspace keyspace;
    private final Environment environment;
    /** Cancels stages, which may call users' code. */
    private final Executor callers;

    private final ActivityRows activities;
    private final StuckSlots stuckSlots;
    private final Finisher finisher;
    private final RunReports reports;
    private final Runnable checkHandlersDone;

    /** The runs that are not decided. */
    @GuardedBy("lock") private final Set<JobRun<D>> held = new LinkedHashSet<>();

    /** The runs whose handlers have ended their jobs themselves and run on. Nothing has told them to stop. */
    @GuardedBy("lock") private final Set<JobRun<?>> runningOn = new HashSet<>();

    /** The number of the current round of heartbeats. */
    @GuardedBy("lock") private long round;

    /** Whether heartbeats are suspended until {@link #resumeHeartbeats}. */
    @GuardedBy("lock") private boolean suspended = true;

    /**
     * Makes the runs of a type.
     *
     * @param lock the worker's lock
     * @param checkHandlersDone called without the lock when a run may have been decided, or a handler has returned
     */
    TypeRuns(
            Object lock,
            JobType<D, ?> type,
            ActivityRows activities,
            StuckSlots stuckSlots,
            Finisher finisher,
            Instance instance,
            Runnable checkHandlersDone) {
        this.lock = lock;
        this.type = type;
        this.keyspace = instance.keyspace();
        this.environment = instance.environment();
        this.callers = instance.executor();
        this.activities = activities;
        this.stuckSlots = stuckSlots;
        this.finisher = finisher;
        this.reports = new RunReports(instance);
        this.checkHandlersDone = checkHandlersDone;
    }

    JobType<D, ?> type() {
        return type;
    }

    /** {@return the activity rows that the runs of the worker share} */
    ActivityRows activities() {
        return activities;
    }

    /** {@return a run for each claim, which is held from now on} */
    List<JobRun<D>> claimed(List<GrantedClaim<D>> claims) {
        synchronized (lock) {
            List<JobRun<D>> runs = new ArrayList<>(claims.size());
            for (GrantedClaim<D> claim : claims) {
                JobRef ref = keyspace.job(type.name(), claim.job().id());
                runs.add(new JobRun<>(lock, type, claim, ref, round));
            }
            held.addAll(runs);
            runs.forEach(reports::leased);
            return runs;
        }
    }

    /** {@return the runs that are not decided} */
    List<JobRun<D>> held() {
        synchronized (lock) {
            return List.copyOf(held);
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
     * Decides the disposition of a run, unless it is decided. {@link #writeEnds} writes it.
     *
     * @return whether it was not decided before
     */
    boolean decide(JobRun<?> run, Disposition disposition) {
        synchronized (lock) {
            held.remove(run);
            boolean hasDecided = run.decide();
            if (hasDecided) {
                finisher.add(run, disposition);
            }
            return hasDecided;
        }
    }

    /** Writes the dispositions that are decided. Called without the lock. */
    void writeEnds() {
        finisher.wake();
    }

    /** Writes the dispositions that are decided, and checks whether a closing worker still waits for a handler. */
    void writeEndsAndCheckHandlersDone() {
        writeEnds();
        checkHandlersDone.run();
    }

    /**
     * The return of a handler.
     *
     * @param hasDecided whether the handler has decided the disposition of its job
     * @param wasStuck whether its slot was stuck
     * @param threadContinues whether it ran on a thread, which can take the next job
     */
    record HandlerReturn(boolean hasDecided, boolean wasStuck, boolean threadContinues) {}

    /**
     * A handler has returned. The caller then calls {@link #reportReturn} without the lock.
     *
     * @param disposition the disposition of the job, unless that is decided
     */
    HandlerReturn handlerReturned(JobRun<?> run, Disposition disposition) {
        synchronized (lock) {
            boolean hasDecided = decide(run, disposition);
            boolean wasStuck = run.handlerReturned();
            runningOn.remove(run);
            if (wasStuck) {
                stuckSlots.handlerReturned();
            }
            boolean threadContinues = run.detachThread();
            run.cancelTimer();
            return new HandlerReturn(hasDecided, wasStuck, threadContinues);
        }
    }

    /** Logs the return of a handler and writes the end of its job. Called without the lock. */
    void reportReturn(JobRun<?> run, Disposition disposition, HandlerReturn handlerReturn) {
        if (handlerReturn.wasStuck()) {
            LOG.info("The handler of {} has returned, and its slot is free again", run);
        }
        if (handlerReturn.hasDecided()) {
            FailureLog.logFailure(run, disposition);
        }
        writeEndsAndCheckHandlersDone();
    }

    /** Stops a run when its handler has taken longer than a time limit. */
    void startTimeLimit(JobRun<?> run, Duration time) {
        synchronized (lock) {
            run.setTimer(environment
                    .scheduler()
                    .schedule(() -> stop(run, timeIsUp(time)), TimerDelays.nanos(time), TimeUnit.NANOSECONDS));
        }
    }

    private static Disposition timeIsUp(Duration time) {
        return new Disposition.Failed(
                "The handler took longer than its time limit of " + DurationText.of(time) + ".", true);
    }

    /** Decides the disposition of all held runs, and tells all handlers to stop. */
    void stopAll(Disposition disposition) {
        List<JobRun<D>> heldRuns;
        List<CompletableFuture<?>> stages = new ArrayList<>();
        synchronized (lock) {
            heldRuns = List.copyOf(held);
            for (JobRun<?> run : runningOn) {
                run.halt().ifPresent(stages::add);
            }
            runningOn.clear();
        }
        heldRuns.forEach(run -> stop(run, disposition));
        stages.forEach(this::cancel);
    }

    /** Decides the disposition of a run, unless it is decided, and tells its handler to stop. */
    private void stop(JobRun<?> run, Disposition disposition) {
        Optional<CompletableFuture<?>> stage;
        synchronized (lock) {
            if (!decide(run, disposition)) {
                return;
            }
            if (disposition instanceof Disposition.Released) {
                run.markReleased();
            }
            stage = run.halt();
        }
        FailureLog.logFailure(run, disposition);
        writeEndsAndCheckHandlersDone();
        stage.ifPresent(this::cancel);
        stuckSlots.expectReturn(run);
    }

    /** Tells the handlers of lost claims to stop, unless their runs are decided. */
    void stopLost(List<Heartbeat.Lost> lost) {
        lost.forEach(this::stopLost);
    }

    private void stopLost(Heartbeat.Lost lost) {
        JobRun<?> run = lost.run();
        Optional<CompletableFuture<?>> stage;
        synchronized (lock) {
            if (run.isDecided()) {
                return;
            }
            held.remove(run);
            run.decide();
            run.leaveActivityRow();
            if (lost.isCancelled()) {
                run.markCancelled();
            }
            stage = run.halt();
        }
        if (lost.isCancelled()) {
            LOG.info("{} was cancelled; its handler is told to stop", run);
        } else {
            LOG.info("The claim on {} is lost: it expired, or the job was removed; its handler is told to stop", run);
        }
        reports.lost(run, lost.isCancelled());
        checkHandlersDone.run();
        stage.ifPresent(this::cancel);
        stuckSlots.expectReturn(run);
    }

    /** Cancels a stage. That may call users' code, which must not delay the timer or the heartbeats of other jobs. */
    private void cancel(CompletableFuture<?> stage) {
        try {
            callers.execute(() -> stage.cancel(true));
        } catch (Throwable e) { // the database is closed, or there is no thread; the caller stops other runs too
            stage.cancel(true);
        }
    }

    /** A transaction of the handler's has committed the job's end. */
    void endWrittenByHandler(JobRun<?> run) {
        synchronized (lock) {
            held.remove(run);
            if (run.decide()) {
                runningOn.add(run);
            }
            run.leaveActivityRow();
        }
        reports.succeededInHandler(run);
        checkHandlersDone.run();
    }

    /**
     * A transaction of the handler's has failed because the claim is lost or has ended. The handler gets the error, and
     * is not interrupted while it handles it.
     */
    void claimLostInHandler(JobRun<?> run, boolean isCancelled) {
        boolean hasDecided;
        synchronized (lock) {
            held.remove(run);
            if (isCancelled) {
                run.markCancelled();
            }
            hasDecided = run.decide();
            run.markHalted();
        }
        if (hasDecided) {
            LOG.info(
                    "The claim on {} is lost or has ended; its handler gets an error, and its outcome is not written",
                    run);
            reports.lost(run, isCancelled);
            stuckSlots.expectReturn(run);
        }
        checkHandlersDone.run();
    }

    // Heartbeats

    /** {@return whether no heartbeat can be due until {@link #resumeHeartbeats}} */
    boolean suspendHeartbeats() {
        synchronized (lock) {
            suspended = held.isEmpty();
            return suspended;
        }
    }

    /** {@return whether heartbeats were suspended} */
    boolean resumeHeartbeats() {
        synchronized (lock) {
            boolean wereSuspended = suspended;
            suspended = false;
            return wereSuspended;
        }
    }

    /**
     * Begins another round of heartbeats.
     *
     * @return the runs whose lease was not renewed in the whole last round
     */
    List<JobRun<D>> nextRound() {
        synchronized (lock) {
            long lastRound = round++;
            List<JobRun<D>> due = new ArrayList<>();
            for (JobRun<D> run : held) {
                if (run.lastHeartbeatRound() < lastRound) {
                    due.add(run);
                }
            }
            return due;
        }
    }

    /** {@return whether the lease was not yet renewed in the current round} */
    boolean isHeartbeatDue(JobRun<?> run) {
        synchronized (lock) {
            return run.lastHeartbeatRound() < round;
        }
    }

    /**
     * A heartbeat has been committed.
     *
     * @param before the activity rows that its jobs were known to share when it began
     * @param timeout the activity timeout, if it is known
     */
    void renewed(
            Heartbeat.Result heartbeat, Map<JobRun<?>, Optional<SharedActivity>> before, Optional<Duration> timeout) {
        synchronized (lock) {
            heartbeat
                    .renewed()
                    .forEach((run, after) -> run.renewed(
                            before.getOrDefault(run, Optional.empty()).orElse(null), after.orElse(null), round));
        }
        reports.renewed(type.name(), heartbeat.renewed().keySet(), timeout);
        stopLost(heartbeat.lost());
    }

    /**
     * A transaction of the handler's has renewed the lease of its job.
     *
     * @param before the activity row that the job was known to share when the transaction began
     */
    void renewed(JobRun<?> run, @Nullable SharedActivity before) {
        synchronized (lock) {
            run.renewed(before, null, round);
        }
        reports.leased(run);
    }
}
