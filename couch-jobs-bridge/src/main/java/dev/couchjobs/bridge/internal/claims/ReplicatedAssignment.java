package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.StepProgress;
import dev.couchjobs.bridge.internal.document.StepRun;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.store.SlotReservations.StepRound;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.StepAssignment;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import dev.couchjobs.bridge.internal.transaction.StepSlots;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.IntSupplier;

/**
 * The rules for nodes that share only replicated documents. A node with a free slot claims a step in the document, the
 * creator node names the winner, and the winner runs the step by a job in its own database. {@code
 * rfc/015-steps-on-nodes.md} shows why a step runs once, by three rules:
 *
 * <ul>
 *   <li>only the creator node names winners, in its own database, and at most one in a round;
 *   <li>a winner begins only within the first half of the claim timeout after its claim;
 *   <li>the creator node withdraws a claim, and with it the round, only if it has seen no beginning within the timeout.
 * </ul>
 */
public final class ReplicatedAssignment implements StepAssignment, StepSlots {
    /** The number of timeout checks within one claim timeout. */
    private static final int LOOKS = 16;

    private final String node;
    private final NodeDirectory cluster;
    private final SlotReservations reservations;
    private final WorkerSlots workers;
    private final StepQueue stepQueue;
    private final TickCounter ticks;
    private final StepClaims claims;
    private final ClaimArbiter arbiter;

    /**
     * @param number how many steps this node runs at once, which may change
     * @param claimTimeout how long a node may take to begin a step after it has won it; the same on all nodes
     */
    public ReplicatedAssignment(
            BridgeContext context, SlotReservations reservations, IntSupplier number, Duration claimTimeout) {
        this.node = context.node();
        this.cluster = context.cluster();
        this.reservations = reservations;
        this.workers = new WorkerSlots(context, reservations, number);
        this.stepQueue = new StepQueue(context, reservations);
        this.ticks = new TickCounter(claimTimeout.dividedBy(LOOKS));
        Leases leases = new Leases(context.environment().clock(), ticks, LOOKS / 2);
        this.claims = new StepClaims(context, reservations, workers, stepQueue, leases);
        this.arbiter = new ClaimArbiter(node, reservations, stepQueue, ticks, LOOKS);
    }

    @Override
    public String writer(String home) {
        return node;
    }

    @Override
    public String homeOfStrangers() {
        return cluster.nodes().first();
    }

    @Override
    public boolean isAuthorityFor(String home, boolean isKnown) {
        return home.equals(node);
    }

    /**
     * What the store knows to have ended stays as it is, and so does a run on this node. But an end of that with which
     * a person has ended the job stays, too, because the other nodes keep it.
     */
    @Override
    public JobDocument believed(JobDocument known, JobDocument all) {
        return withRuns(all, known, (runner, run) -> !run.isRunning() || (runner.equals(node) && !all.isEnded()));
    }

    /**
     * Two nodes that know different results of a run must not put them back by turns. And only the node itself may say
     * that a step of a job that has ended still runs on it.
     */
    @Override
    public JobDocument asShown(JobDocument stored, JobDocument shown) {
        JobDocument now = withRuns(stored, shown, (runner, run) -> !runner.equals(node) && !run.isRunning());
        for (int step = 0; shown.isEnded() && step < stored.plan().steps().size(); step++) {
            StepProgress seen = shown.step(step).progress();
            for (Map.Entry<String, StepRun> run :
                    stored.step(step).progress().runs().entrySet()) {
                if (run.getValue().isRunning()
                        && !run.getKey().equals(node)
                        && seen.run(run.getKey()).isEmpty()) {
                    now = now.withoutRun(step, run.getKey());
                }
            }
        }
        return now;
    }

    /** {@return a job with the runs of another version that pass a test, where both have a run} */
    private static JobDocument withRuns(JobDocument job, JobDocument other, BiPredicate<String, StepRun> isTaken) {
        JobDocument now = job;
        for (int step = 0; step < job.plan().steps().size(); step++) {
            for (String runner : job.step(step).progress().runs().keySet()) {
                Optional<StepRun> run = other.step(step).progress().run(runner);
                if (run.filter(said -> isTaken.test(runner, said)).isPresent()) {
                    now = now.withRun(step, runner, run.get());
                }
            }
        }
        return now;
    }

    @Override
    public boolean knowsAll() {
        return false;
    }

    @Override
    public boolean believesNewDocuments() {
        return true;
    }

    @Override
    public boolean isJoined(Step step) {
        return false;
    }

    // Assignment

    @Override
    public CompletableFuture<Kept> next(BridgeTransaction transaction, Kept now, boolean isNewStep) {
        Step step = now.document().step(now.document().currentStep());
        if (step.isClaimable() && !step.progress().hasBegun()) {
            return isCreator(now) ? decide(transaction, now, step) : claims.pursueClaim(transaction, now, step);
        }
        StepRound round = WorkerSlots.round(step);
        arbiter.settle(transaction, round);
        Kept out = stepQueue.leave(transaction, isCreator(now) ? arbiter.ahead(now, step) : now);
        CompletableFuture<Void> settled =
                isMine(step) ? workers.take(transaction, step) : claims.free(transaction, round);
        return settled.thenApply(done -> out);
    }

    /**
     * Whether this node has to run the step and has not yet. The step has begun, or its target names the nodes that run
     * it.
     */
    private boolean isMine(Step step) {
        StepProgress progress = step.progress();
        return step.isClaimable()
                ? progress.run(node).isPresent()
                : step.plan().target().includes(node)
                        && progress.run(node).filter(run -> !run.isRunning()).isEmpty();
    }

    private CompletableFuture<Kept> decide(BridgeTransaction transaction, Kept now, Step step) {
        return reservations.hold(transaction.tx(), WorkerSlots.round(step)).thenCompose(hold -> {
            if (hold.isPresent()) { // this node runs the step
                return CompletableFuture.completedFuture(stepQueue.leave(transaction, now));
            }
            return step.progress().claimedBy().equals(Optional.of(node)) // from before a loss of its store
                    ? workers.take(transaction, step).thenApply(taken -> stepQueue.leave(transaction, now))
                    : CompletableFuture.completedFuture(arbiter.decide(transaction, now, step));
        });
    }

    @Override
    public CompletableFuture<Void> reprioritise(BridgeTransaction transaction, Kept before, int priority) {
        stepQueue.move(transaction, before, priority);
        return workers.reprioritise(
                transaction,
                WorkerSlots.round(before.document().step(before.document().currentStep())),
                priority);
    }

    @Override
    public CompletableFuture<Void> stop(BridgeTransaction transaction, Kept before) {
        StepRound round =
                WorkerSlots.round(before.document().step(before.document().currentStep()));
        arbiter.settle(transaction, round);
        return workers.revoke(transaction, round).thenCompose(back -> claims.free(transaction, round));
    }

    @Override
    public boolean mayReportStopOf(String stopped) {
        return stopped.equals(node);
    }

    @Override
    public CompletableFuture<Transition> begin(
            BridgeTransaction transaction, Step step, StepJob job, String executioner, ZonedDateTime now) {
        boolean hasBegunHere = step.progress().run(node).isPresent();
        boolean isCreator = step.job().plan().creator().equals(node);
        Transition begun = hasBegunHere || !step.isClaimable() || !isCreator
                ? step.begin(node, executioner, now, job.round())
                : take(step, executioner, now);
        if (hasBegunHere || isCreator) {
            return CompletableFuture.completedFuture(begun);
        }
        return step.isClaimable() && !claims.isFresh(step)
                ? CompletableFuture.completedFuture(new Transition.Refused("it was claimed too long ago"))
                : claims.ahead(transaction, begun, step.index());
    }

    /** The creator node names no winner when it runs a step itself. */
    private Transition take(Step step, String executioner, ZonedDateTime now) {
        return step.progress().hasBegun()
                ? new Transition.Refused("another node has begun it")
                : step.take(node, executioner, now);
    }

    // Slots

    @Override
    public Optional<StepSlots> slots() {
        return Optional.of(this);
    }

    @Override
    public CompletableFuture<Pause> checkTimeouts(BridgeTransaction transaction) {
        long time = ticks.now();
        transaction.afterwards(() -> ticks.over(time));
        transaction.requestQueueReview(); // a restart may have added workers
        return claims.freeExpired(transaction)
                .thenCompose(done -> arbiter.reviewOverdue(transaction))
                .thenApply(done -> Pause.atMost(ticks.apart()));
    }

    @Override
    public CompletableFuture<Optional<String>> nextQueued(BridgeTransaction transaction) {
        return workers.isOneFree(transaction)
                .thenCompose(isOneFree -> isOneFree
                        ? stepQueue.first(transaction)
                        : CompletableFuture.completedFuture(Optional.<String>empty()));
    }

    @Override
    public CompletableFuture<Kept> claim(BridgeTransaction transaction, Kept now) {
        Step step = now.document().step(now.document().currentStep());
        return isCreator(now) // the creator node needs no claim in the document
                ? workers.take(transaction, step).thenApply(taken -> stepQueue.leave(transaction, now))
                : CompletableFuture.completedFuture(claims.claim(transaction, now, step));
    }

    @Override
    public CompletableFuture<Void> reserve(BridgeTransaction transaction, StepJob job, Optional<Duration> pause) {
        return pause.isPresent() ? workers.rest(transaction, job, pause.get()) : workers.reserve(transaction, job);
    }

    @Override
    public CompletableFuture<Void> stepEnded(BridgeTransaction transaction, StepJob job) {
        return claims.free(transaction, WorkerSlots.round(job));
    }

    @Override
    public CompletableFuture<Void> jobEnded(BridgeTransaction transaction, Kept before) {
        Step step = before.document().step(before.document().currentStep());
        arbiter.settle(transaction, WorkerSlots.round(step));
        var unused = stepQueue.leave(transaction, before);
        return claims.drop(transaction, step);
    }

    private boolean isCreator(Kept kept) {
        return kept.document().plan().creator().equals(node);
    }
}
