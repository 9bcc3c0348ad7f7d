package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.StepProgress;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.store.SlotReservations.StepRound;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.StepAssignment;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Nodes that have nothing in common but replicated documents. A node claims a step in the document when it has a worker
 * for it, the node on which the document was made names the winner, and the winner runs the step by a job of its own.
 * Why a step runs once is argued in {@code rfc/015-steps-on-nodes.md}; it rests on three rules:
 *
 * <ul>
 *   <li>only the creator names winners, in its own database, and in one round never two;
 *   <li>a winner begins only within the first half of the claim timeout after its claim;
 *   <li>the creator withdraws a claim, and with it the round, only when it has seen no beginning for all of it.
 * </ul>
 */
public final class ReplicatedAssignment implements StepAssignment {
    /** How often a node looks at what it waits for while a claim may be silent. */
    private static final int LOOKS = 16;

    private final String node;
    private final NodeDirectory cluster;
    private final SlotReservations reservations;
    private final WorkerSlots slots;
    private final StepQueue stepQueue;
    private final TickCounter ticks;
    private final StepClaims claims;
    private final ClaimArbiter arbiter;

    public ReplicatedAssignment(
            BridgeContext context, SlotReservations reservations, int workers, Duration claimTimeout) {
        this.node = context.node();
        this.cluster = context.cluster();
        this.reservations = reservations;
        this.slots = new WorkerSlots(context, reservations, workers);
        this.stepQueue = new StepQueue(context, reservations);
        this.ticks = new TickCounter(claimTimeout.dividedBy(LOOKS));
        Leases leases = new Leases(context.environment().clock(), ticks, LOOKS / 2);
        this.claims = new StepClaims(context, reservations, this.slots, stepQueue, leases);
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

    @Override
    public boolean isJoined(Step step) {
        return false;
    }

    @Override
    public CompletableFuture<Pause> look(BridgeTransaction transaction) {
        long time = ticks.now();
        transaction.afterwards(() -> ticks.over(time));
        transaction.requestQueueReview(); // there may be more workers than there were
        return claims.look(transaction)
                .thenCompose(done -> arbiter.look(transaction))
                .thenApply(done -> Pause.atMost(ticks.apart()));
    }

    // What is to be done

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
                isMine(step) ? slots.take(transaction, step) : claims.free(transaction, round);
        return settled.thenApply(done -> out);
    }

    /** Of a step that has begun, or whose target says who runs it, whether this node is to do it and has not. */
    private boolean isMine(Step step) {
        StepProgress progress = step.progress();
        return step.isClaimable()
                ? progress.run(node).isPresent()
                : step.plan().target().includes(node)
                        && progress.run(node).filter(run -> !run.isRunning()).isEmpty();
    }

    private CompletableFuture<Kept> decide(BridgeTransaction transaction, Kept now, Step step) {
        return reservations.hold(transaction.tx(), WorkerSlots.round(step)).thenCompose(hold -> {
            if (hold.isPresent()) { // this node has taken it
                return CompletableFuture.completedFuture(stepQueue.leave(transaction, now));
            }
            return step.progress().claimedBy().equals(Optional.of(node)) // and had, before it lost its database
                    ? slots.take(transaction, step).thenApply(taken -> stepQueue.leave(transaction, now))
                    : CompletableFuture.completedFuture(arbiter.decide(transaction, now, step));
        });
    }

    @Override
    public CompletableFuture<Optional<String>> fromQueue(BridgeTransaction transaction) {
        return slots.isOneFree(transaction)
                .thenCompose(isOneFree -> isOneFree
                        ? stepQueue.first(transaction)
                        : CompletableFuture.completedFuture(Optional.<String>empty()));
    }

    /** A free worker is for this document. */
    @Override
    public CompletableFuture<Kept> claim(BridgeTransaction transaction, Kept now) {
        Step step = now.document().step(now.document().currentStep());
        return isCreator(now) // it need not ask another node, and says so when it begins
                ? slots.take(transaction, step).thenApply(taken -> stepQueue.leave(transaction, now))
                : CompletableFuture.completedFuture(claims.claim(transaction, now, step));
    }

    // What happens to it

    @Override
    public CompletableFuture<Void> stop(BridgeTransaction transaction, Kept before) {
        StepRound round =
                WorkerSlots.round(before.document().step(before.document().currentStep()));
        arbiter.settle(transaction, round);
        return slots.revoke(transaction, round).thenCompose(back -> claims.free(transaction, round));
    }

    @Override
    public CompletableFuture<Void> jobEnded(BridgeTransaction transaction, Kept before) {
        Step step = before.document().step(before.document().currentStep());
        arbiter.settle(transaction, WorkerSlots.round(step));
        var unused = stepQueue.leave(transaction, before);
        return claims.drop(transaction, step);
    }

    @Override
    public boolean mayReportStopOf(String other) {
        return other.equals(node);
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

    /** The creator need not be named. */
    private Transition take(Step step, String executioner, ZonedDateTime now) {
        return step.progress().hasBegun()
                ? new Transition.Refused("another node has begun it")
                : step.take(node, executioner, now);
    }

    @Override
    public CompletableFuture<Void> stepNeedsWorker(
            BridgeTransaction transaction, StepJob job, Optional<Duration> pause) {
        return pause.isPresent() ? slots.rest(transaction, job, pause.get()) : slots.goOn(transaction, job);
    }

    @Override
    public CompletableFuture<Void> ended(BridgeTransaction transaction, StepJob job) {
        return claims.free(transaction, WorkerSlots.round(job));
    }

    private boolean isCreator(Kept kept) {
        return kept.document().plan().creator().equals(node);
    }
}
