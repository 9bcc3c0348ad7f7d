package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.document.Cluster;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.StepProgress;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.ledger.Seats;
import dev.couchjobs.bridge.internal.ledger.Seats.Seat;
import dev.couchjobs.internal.loop.Pause;
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
final class ReplicatedAssignment implements Assignment {
    /** How often a node looks at what it waits for while a claim may be silent. */
    private static final int LOOKS = 16;

    private final String node;
    private final Cluster cluster;
    private final Seats seats;
    private final Workers workers;
    private final Line line;
    private final Ticks ticks;
    private final Claims claims;
    private final Winners winners;

    ReplicatedAssignment(BridgeContext context, Seats seats, int workers, Duration claimTimeout) {
        this.node = context.node();
        this.cluster = context.cluster();
        this.seats = seats;
        this.workers = new Workers(context, seats, workers);
        this.line = new Line(context, seats);
        this.ticks = new Ticks(claimTimeout.dividedBy(LOOKS));
        Leases leases = new Leases(context.environment().clock(), ticks, LOOKS / 2);
        this.claims = new Claims(context, seats, this.workers, line, leases);
        this.winners = new Winners(node, seats, line, ticks, LOOKS);
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
    public boolean judges(String home, boolean isKnown) {
        return home.equals(node);
    }

    @Override
    public boolean isJoined(Step step) {
        return false;
    }

    @Override
    public CompletableFuture<Pause> look(Turn turn) {
        long time = ticks.now();
        turn.afterwards(() -> ticks.over(time));
        turn.reviewLine(); // there may be more workers than there were
        return claims.look(turn).thenCompose(done -> winners.look(turn)).thenApply(done -> Pause.atMost(ticks.apart()));
    }

    // What is to be done

    @Override
    public CompletableFuture<Kept> next(Turn turn, Kept now, boolean isNewStep) {
        Step step = now.document().step(now.document().currentStep());
        if (step.isClaimable() && !step.progress().hasBegun()) {
            return isCreator(now) ? decide(turn, now, step) : claims.hope(turn, now, step);
        }
        Seat seat = Workers.seat(step);
        winners.settle(turn, seat);
        Kept out = line.leave(turn, isCreator(now) ? winners.ahead(now, step) : now);
        CompletableFuture<Void> settled = isMine(step) ? workers.take(turn, step) : claims.free(turn, seat);
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

    private CompletableFuture<Kept> decide(Turn turn, Kept now, Step step) {
        return seats.hold(turn.tx(), Workers.seat(step)).thenCompose(hold -> {
            if (hold.isPresent()) { // this node has taken it
                return CompletableFuture.completedFuture(line.leave(turn, now));
            }
            return step.progress().claimedBy().equals(Optional.of(node)) // and had, before it lost its database
                    ? workers.take(turn, step).thenApply(taken -> line.leave(turn, now))
                    : CompletableFuture.completedFuture(winners.decide(turn, now, step));
        });
    }

    @Override
    public CompletableFuture<Optional<String>> fromLine(Turn turn) {
        return workers.isOneFree(turn)
                .thenCompose(isOneFree ->
                        isOneFree ? line.first(turn) : CompletableFuture.completedFuture(Optional.<String>empty()));
    }

    /** A free worker is for this document. */
    @Override
    public CompletableFuture<Kept> claim(Turn turn, Kept now) {
        Step step = now.document().step(now.document().currentStep());
        return isCreator(now) // it need not ask another node, and says so when it begins
                ? workers.take(turn, step).thenApply(taken -> line.leave(turn, now))
                : CompletableFuture.completedFuture(claims.claim(turn, now, step));
    }

    // What becomes of it

    @Override
    public CompletableFuture<Void> stop(Turn turn, Kept before) {
        Seat seat = Workers.seat(before.document().step(before.document().currentStep()));
        winners.settle(turn, seat);
        return workers.takeBack(turn, seat).thenCompose(back -> claims.free(turn, seat));
    }

    @Override
    public CompletableFuture<Void> gone(Turn turn, Kept before) {
        Step step = before.document().step(before.document().currentStep());
        winners.settle(turn, Workers.seat(step));
        var unused = line.leave(turn, before);
        return claims.drop(turn, step);
    }

    @Override
    public boolean speaksFor(String other) {
        return other.equals(node);
    }

    @Override
    public CompletableFuture<Transition> begin(
            Turn turn, Step step, StepJob job, String executioner, ZonedDateTime now) {
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
                : claims.ahead(turn, begun, step.index());
    }

    /** The creator need not be named. */
    private Transition take(Step step, String executioner, ZonedDateTime now) {
        return step.progress().hasBegun()
                ? new Transition.Refused("another node has begun it")
                : step.take(node, executioner, now);
    }

    @Override
    public CompletableFuture<Void> goesOn(Turn turn, StepJob job, Optional<Duration> pause) {
        return pause.isPresent() ? workers.rest(turn, job, pause.get()) : workers.goOn(turn, job);
    }

    @Override
    public CompletableFuture<Void> ended(Turn turn, StepJob job) {
        return claims.free(turn, Workers.seat(job));
    }

    private boolean isCreator(Kept kept) {
        return kept.document().plan().creator().equals(node);
    }
}
