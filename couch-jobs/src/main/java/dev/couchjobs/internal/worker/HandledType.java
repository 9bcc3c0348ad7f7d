package dev.couchjobs.internal.worker;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.accept.ClaimConsumer;
import dev.couchjobs.internal.accept.ClaimSubscription;
import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.accept.JoiningClaim;
import dev.couchjobs.internal.activity.SharedActivity;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A type of which a worker runs jobs: what acceptor, heartbeats and handlers say of its jobs becomes an event of the
 * worker, and is logged and reported to listeners.
 *
 * @param <D> the type of the jobs' data
 */
final class HandledType<D> implements ClaimConsumer<D>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HandledType.class);

    private final WorkerLifecycle worker;
    private final HandlerRegistration<D, ?> registration;
    private final TypeState<JobRun<?>> state;
    private final Keyspace keyspace;
    private final RunReports reports;
    private final HeartbeatSender<D> heartbeats;
    private final LossSearch<D> lossSearch;
    private volatile @Nullable ClaimSubscription subscription;

    HandledType(
            WorkerLifecycle worker,
            HandlerRegistration<D, ?> registration,
            TypeState<JobRun<?>> state,
            Instance instance) {
        this.worker = worker;
        this.registration = registration;
        this.state = state;
        this.keyspace = instance.keyspace();
        this.reports = new RunReports(instance);
        this.lossSearch = new LossSearch<>(this, instance);
        this.heartbeats = new HeartbeatSender<>(this, lossSearch::runsChanged, instance);
    }

    JobType<D, ?> type() {
        return registration.handler().type();
    }

    HandlerRegistration<D, ?> registration() {
        return registration;
    }

    TypeState<JobRun<?>> state() {
        return state;
    }

    /** {@return the activity rows that the runs of the worker share} */
    ActivityRows activities() {
        return worker.activities();
    }

    @Override
    public void close() {
        heartbeats.close();
        lossSearch.close();
    }

    // Claims

    /** Lets the type claim jobs as soon as it is open. */
    void serve(Acceptors acceptors, AcceptOptions options) {
        subscription = acceptors.serve(type(), this, options);
    }

    /** Wakes the acceptor, if the type is served. */
    void letClaim() {
        ClaimSubscription present = subscription;
        if (present != null) {
            present.demandChanged();
        }
    }

    /** {@return the next claim, to be made with the ends of jobs; empty if none can be made now} */
    Optional<JoiningClaim> joinClaim() {
        ClaimSubscription present = subscription;
        return present == null ? Optional.empty() : present.join();
    }

    /** Claims no more jobs; completes when the last claim has been delivered. */
    CompletableFuture<?> endClaims() {
        ClaimSubscription present = subscription;
        return present == null ? CompletableFuture.completedFuture(this) : present.close();
    }

    @Override
    public Demand reserve() {
        return worker.answer(machine -> machine.beginClaim(state, worker.now()));
    }

    @Override
    public void deliver(List<GrantedClaim<D>> claims, int prefetchMax) {
        List<JobRun<?>> runs = claims.stream().<JobRun<?>>map(this::run).toList();
        runs.forEach(reports::leased);
        worker.tell(machine -> machine.claimed(state, runs, prefetchMax, worker.now()));
    }

    private JobRun<D> run(GrantedClaim<D> claim) {
        return new JobRun<>(
                worker.lock(),
                this,
                claim,
                keyspace.job(type().name(), claim.job().id()));
    }

    @Override
    public void claimEnded() {
        worker.tell(machine -> machine.claimEnded(state));
    }

    // Handlers

    /** Stops a run when its handler has taken longer than a time limit. */
    void startTimeLimit(JobRun<D> run, Duration time) {
        run.setTimer(worker.schedule(() -> timeIsUp(run, time), time));
    }

    private void timeIsUp(JobRun<D> run, Duration time) {
        Disposition failed = new Disposition.Failed(
                "The handler took longer than its time limit of " + DurationText.of(time) + ".", true);
        if (worker.answer(machine -> machine.stop(run, failed))) {
            FailureLog.logFailure(run, failed);
        }
    }

    /**
     * A handler has returned.
     *
     * @param disposition the disposition of its job, unless that is decided
     */
    void handlerReturned(JobRun<D> run, Disposition disposition, Duration took) {
        boolean threadContinues = run.detachThread();
        WorkerStateMachine.HandlerReturn handlerReturn = worker.answer(
                machine -> {
                    run.cancelTimer();
                    return machine.handlerReturned(run, disposition, took, threadContinues);
                },
                !threadContinues);
        if (handlerReturn.wasStuck()) {
            LOG.info("The handler of {} has returned, and its slot is free again", run);
        }
        if (handlerReturn.hasDecided()) {
            FailureLog.logFailure(run, disposition);
        }
    }

    /** A transaction of the handler's has committed the job's end. */
    void endedByHandler(JobRun<D> run) {
        worker.tell(machine -> {
            machine.endedByHandler(run);
            run.leaveActivityRow();
        });
        reports.succeededInHandler(run);
    }

    /**
     * A transaction of the handler's has failed because the claim is lost or has ended. The handler gets the error, and
     * is not interrupted while it handles it.
     */
    void lostInHandler(JobRun<D> run, boolean isCancelled) {
        if (worker.answer(machine -> machine.lostInHandler(run, isCancelled))) {
            LOG.info(
                    "The claim on {} is lost or has ended; its handler gets an error, and its outcome is not written",
                    run);
            reports.lost(run, isCancelled);
        }
    }

    /** Tells the handlers of lost claims to stop, unless the ends of their jobs are decided. */
    void lost(List<Heartbeat.Lost> lost) {
        lost.forEach(each -> lost(each.run(), each.isCancelled()));
    }

    private void lost(JobRun<?> run, boolean isCancelled) {
        boolean isFirst = worker.answer(machine -> {
            boolean wasHeld = machine.lost(run, isCancelled);
            if (wasHeld) {
                run.leaveActivityRow();
            }
            return wasHeld;
        });
        if (!isFirst) {
            return;
        }
        if (isCancelled) {
            LOG.info("{} was cancelled; its handler is told to stop", run);
        } else {
            LOG.info("The claim on {} is lost: it expired, or the job was removed; its handler is told to stop", run);
        }
        reports.lost(run, isCancelled);
    }

    // Heartbeats

    /** The worker holds jobs of the type again. */
    void resumeLoops() {
        heartbeats.resume();
        lossSearch.runsChanged();
    }

    /** Stores that runs have begun a while ago. */
    void confirmStarts() {
        heartbeats.confirm(worker.answer(machine -> machine.confirmStarts(state)));
    }

    /** {@return the runs that are not decided} */
    List<JobRun<?>> held() {
        return worker.answer(machine -> List.copyOf(state.held));
    }

    boolean suspendHeartbeats() {
        return worker.answer(machine -> machine.suspendHeartbeats(state));
    }

    /** Begins another round of heartbeats. {@return the runs whose lease was not renewed in the whole last round} */
    List<JobRun<?>> nextRound(Duration roundTime) {
        return worker.answer(machine -> machine.nextRound(state, roundTime));
    }

    /** {@return whether the lease was not yet renewed in the current round} */
    boolean isHeartbeatDue(JobRun<D> run) {
        return worker.answer(machine -> machine.isHeartbeatDue(run));
    }

    /**
     * A heartbeat has been committed.
     *
     * @param before the activity rows that its jobs were known to share when it began
     * @param timeout the activity timeout, if it is known
     */
    void renewed(
            Heartbeat.Result heartbeat, Map<JobRun<?>, Optional<SharedActivity>> before, Optional<Duration> timeout) {
        worker.tell(machine -> heartbeat.renewed().forEach((run, after) -> {
            machine.renewed(run);
            run.renewedUnder(before.getOrDefault(run, Optional.empty()).orElse(null), after.orElse(null));
        }));
        reports.renewed(type().name(), heartbeat.renewed().keySet(), timeout);
        lost(heartbeat.lost());
    }

    /**
     * A transaction of the handler's has renewed the lease of its job.
     *
     * @param before the activity row that the job was known to share when the transaction began
     */
    void renewed(JobRun<D> run, @Nullable SharedActivity before) {
        worker.tell(machine -> {
            machine.renewed(run);
            run.renewedUnder(before, null);
        });
        reports.leased(run);
    }
}
