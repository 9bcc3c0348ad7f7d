package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import dev.couchjobs.bridge.internal.document.Cluster;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.StepProgress;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.ledger.Seats;
import dev.couchjobs.bridge.internal.ledger.Seats.Hold;
import dev.couchjobs.bridge.internal.ledger.Seats.Seat;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes that have nothing in common but replicated documents. A node claims a step in the document when it has a worker
 * for it, the node on which the document was made names the winner, and the winner runs the step by a job of its own. Why
 * a step runs once is argued in {@code rfc/015-replicated-steps.md}; it rests on three rules:
 *
 * <ul>
 *   <li>only the creator names winners, in its own database, and in one round never two;
 *   <li>a winner begins only within the first half of the claim timeout after its claim;
 *   <li>the creator withdraws a claim, and with it the round, only when it has seen no beginning for all of it.
 * </ul>
 */
final class ReplicatedAssignment implements Assignment {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedAssignment.class);
    /** Among so many of those that have waited longest a node takes the one that it is meant for. */
    private static final int CHOICE = 64;

    private final String node;
    private final Cluster cluster;
    private final CouchJobs jobs;
    private final Seats seats;
    private final int workers;
    private final BridgeContext context;
    private final Duration claimTimeout;
    private final Leases leases;
    private final Set<Seat> overdue = ConcurrentHashMap.newKeySet();

    ReplicatedAssignment(BridgeContext context, Seats seats, int workers, Duration claimTimeout) {
        this.context = context;
        this.node = context.node();
        this.cluster = context.cluster();
        this.jobs = context.jobs();
        this.seats = seats;
        this.workers = workers;
        this.claimTimeout = claimTimeout;
        this.leases = new Leases(context.environment().clock(), claimTimeout.dividedBy(2));
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

    /** What was claimed by a process that has ended is not begun by this one; what it has given to others is waited for. */
    @Override
    public CompletableFuture<Void> resume(Turn turn) {
        return seats.claimed(turn.tx()).thenAcceptBoth(seats.given(turn.tx()), (claimed, given) -> {
            claimed.forEach(seat -> {
                seats.free(turn.tx(), seat);
                turn.review(seat.document());
            });
            given.forEach(seat -> awaitBeginning(turn, seat));
            turn.reviewLine();
        });
    }

    // What is to be done

    @Override
    public CompletableFuture<Kept> next(Turn turn, Kept now, boolean isNewStep) {
        Step step = now.document().step(now.document().currentStep());
        if (!step.isClaimable()) {
            boolean isMine = step.plan().target().includes(node)
                    && step.progress().run(node).filter(run -> !run.isRunning()).isEmpty();
            Kept out = outOfLine(turn, now);
            return isMine ? take(turn, step).thenApply(taken -> out) : CompletableFuture.completedFuture(out);
        }
        return claimable(turn, now, step);
    }

    private CompletableFuture<Kept> claimable(Turn turn, Kept now, Step step) {
        Seat seat = seat(step);
        StepProgress progress = step.progress();
        if (progress.hasBegun()) {
            seats.settle(turn.tx(), seat);
            Kept out = outOfLine(turn, now);
            return progress.run(node).isPresent()
                    ? take(turn, step).thenApply(taken -> out)
                    : free(turn, seat).thenApply(freed -> out);
        }
        return seats.hold(turn.tx(), seat)
                .thenCompose(hold -> isCreator(now) ? decide(turn, now, step, hold) : hope(turn, now, step));
    }

    /** On the node that names winners. */
    private CompletableFuture<Kept> decide(Turn turn, Kept now, Step step, Optional<Hold> hold) {
        Seat seat = seat(step);
        if (hold.isPresent()) { // this node has taken it
            return CompletableFuture.completedFuture(outOfLine(turn, now));
        }
        if (step.progress().claimedBy().equals(Optional.of(node))) { // and had, before it lost its database
            return take(turn, step).thenApply(taken -> outOfLine(turn, now));
        }
        if (step.progress().winner().isPresent()) {
            if (!overdue.contains(seat)) {
                return CompletableFuture.completedFuture(outOfLine(turn, now));
            }
            LOG.warn(
                    "Nothing was heard of {} since it was to run job[{}] of document {}; its claim is withdrawn",
                    step.progress().winner().get(),
                    step.index(),
                    seat.document());
            seats.settle(turn.tx(), seat);
            return next(turn, now.with(document(step.withdraw(), now)), false);
        }
        if (step.progress().claimedBy().isPresent()) {
            seats.give(turn.tx(), seat);
            awaitBeginning(turn, seat);
            Kept given = now.with(document(step.win(step.progress().claimedBy().get()), now));
            return CompletableFuture.completedFuture(outOfLine(turn, given));
        }
        return CompletableFuture.completedFuture(inLine(turn, now, step));
    }

    /** On a node that may come to run it. */
    private CompletableFuture<Kept> hope(Turn turn, Kept now, Step step) {
        Seat seat = seat(step);
        Optional<String> claimant = step.progress().claimedBy();
        if (claimant.isEmpty()) {
            return CompletableFuture.completedFuture(inLine(turn, now, step));
        }
        if (!claimant.get().equals(node)) {
            // The creator may yet name this node: it may not have seen the other claim when it saw this node's.
            boolean isOpen = step.progress().winner().isEmpty() && leases.holds(seat);
            return (isOpen ? CompletableFuture.<Void>completedFuture(null) : free(turn, seat))
                    .thenApply(freed -> outOfLine(turn, now));
        }
        if (!leases.holds(seat)) { // claimed by a process that has ended, or too long ago to be begun
            Kept again = now.with(document(step.withdraw(), now));
            return free(turn, seat).thenCompose(freed -> next(turn, again, false));
        }
        return step.progress().winner().isPresent()
                ? take(turn, step).thenApply(taken -> outOfLine(turn, now))
                : CompletableFuture.completedFuture(outOfLine(turn, now));
    }

    /** Gives a step to this node's own workers, unless it was given to them. */
    private CompletableFuture<Void> take(Turn turn, Step step) {
        Seat seat = seat(step);
        return seats.hold(turn.tx(), seat).thenAccept(hold -> {
            if (hold.isEmpty() || hold.get() == Hold.CLAIMED) {
                seats.hold(turn.tx(), seat, Hold.TAKEN);
                StepJob job = new StepJob(seat.document(), seat.step(), seat.round());
                turn.add(NewJob.of(StepTypes.of(node), job)
                        .id(job.id())
                        .priority(step.job().plan().priority()));
            }
        });
    }

    private CompletableFuture<Void> free(Turn turn, Seat seat) {
        return seats.hold(turn.tx(), seat).thenAccept(hold -> {
            if (hold.isPresent()) {
                seats.free(turn.tx(), seat);
                leases.end(seat);
                turn.reviewLine();
            }
        });
    }

    // The line

    private Kept inLine(Turn turn, Kept now, Step step) {
        if (!step.plan().target().includes(node)) {
            return outOfLine(turn, now);
        }
        turn.reviewLine();
        if (now.entry().waitsSince().isPresent()) {
            return now;
        }
        long since = context.environment().clock().millis();
        seats.enter(
                turn.tx(),
                now.document().plan().priority(),
                since,
                now.document().id());
        return now.with(now.entry().waiting(OptionalLong.of(since)));
    }

    private Kept outOfLine(Turn turn, Kept now) {
        OptionalLong since = now.entry().waitsSince();
        if (since.isEmpty()) {
            return now;
        }
        seats.leave(
                turn.tx(),
                now.document().plan().priority(),
                since.getAsLong(),
                now.document().id());
        return now.with(now.entry().waiting(OptionalLong.empty()));
    }

    /** Which document of those that wait a free worker is for, if there are both. */
    @Override
    public CompletableFuture<Optional<String>> fromLine(Turn turn) {
        return seats.count(turn.tx(), workers)
                .thenCompose(taken -> taken >= workers
                        ? CompletableFuture.completedFuture(List.<String>of())
                        : seats.first(turn.tx(), CHOICE))
                .thenApply(first -> first.stream()
                        .min(Comparator.comparingInt(this::rank))); // of equal ones the one that has waited longest
    }

    /** Nodes that look at one line at one time are not to claim the same: each has its own favourites. */
    private int rank(String document) {
        int own = weight(node, document);
        return (int) cluster.nodes().stream()
                .filter(other -> !other.equals(node) && weight(other, document) < own)
                .count();
    }

    private static int weight(String node, String document) {
        int hash = (node + '\n' + document).hashCode() * 0x9E3779B1;
        return (hash ^ (hash >>> 15)) * 0x85EBCA77;
    }

    /** A free worker is for this document. */
    @Override
    public CompletableFuture<Kept> claim(Turn turn, Kept now) {
        Step step = now.document().step(now.document().currentStep());
        Kept out = outOfLine(turn, now);
        if (isCreator(now)) { // it need not ask anybody, and says so when it begins
            return take(turn, step).thenApply(taken -> out);
        }
        Seat seat = seat(step);
        seats.hold(turn.tx(), seat, Hold.CLAIMED);
        leases.begin(seat);
        turn.afterwards(leases.length(), later -> giveUp(later, seat));
        return CompletableFuture.completedFuture(out.with(document(step.claim(node), now)));
    }

    /** Nobody has answered a claim: the worker is freed, and the claim is made anew if it is answered after all. */
    private CompletableFuture<Void> giveUp(Turn turn, Seat seat) {
        return seats.hold(turn.tx(), seat).thenAccept(hold -> {
            leases.end(seat);
            if (hold.equals(Optional.of(Hold.CLAIMED))) {
                seats.free(turn.tx(), seat);
                turn.reviewLine();
            }
        });
    }

    private void awaitBeginning(Turn turn, Seat seat) {
        turn.afterwards(claimTimeout, later -> reclaim(later, seat));
    }

    private CompletableFuture<Void> reclaim(Turn turn, Seat seat) {
        return seats.isGiven(turn.tx(), seat).thenAccept(isGiven -> {
            if (isGiven) {
                overdue.add(seat);
                turn.afterwards(() -> overdue.remove(seat));
                seats.settle(turn.tx(), seat);
                turn.review(seat.document());
            }
        });
    }

    // What becomes of it

    @Override
    public CompletableFuture<Void> stop(Turn turn, Kept before) {
        Step step = before.document().step(before.document().currentStep());
        Seat seat = seat(step);
        seats.settle(turn.tx(), seat);
        return jobs.remove(turn.tx(), StepTypes.of(node), new StepJob(seat.document(), seat.step(), seat.round()).id())
                .thenCompose(removed -> free(turn, seat));
    }

    @Override
    public CompletableFuture<Void> gone(Turn turn, Kept before) {
        Seat seat = seat(before.document().step(before.document().currentStep()));
        seats.settle(turn.tx(), seat);
        var unused = outOfLine(turn, before);
        return seats.hold(turn.tx(), seat)
                .thenCompose(hold -> hold.equals(Optional.of(Hold.CLAIMED))
                        ? free(turn, seat) // nobody answers any more
                        : CompletableFuture.completedFuture(null));
    }

    @Override
    public boolean speaksFor(String other) {
        return other.equals(node);
    }

    @Override
    public Transition begin(Step step, StepJob job, String executioner, ZonedDateTime now) {
        if (!step.isClaimable() || step.progress().run(node).isPresent()) {
            return step.begin(node, executioner, now, job.round());
        }
        if (step.job().plan().creator().equals(node)) {
            return step.progress().hasBegun()
                    ? new Transition.Refused("another node has begun it")
                    : step.take(node, executioner, now);
        }
        return leases.holds(seat(step))
                ? step.begin(node, executioner, now, job.round())
                : new Transition.Refused("it was claimed too long ago");
    }

    @Override
    public void goesOn(Turn turn, StepJob job, boolean now) {
        Seat seat = new Seat(job.document(), job.step(), job.round());
        seats.hold(turn.tx(), seat, now ? Hold.TAKEN : Hold.RESTING);
        if (!now) {
            turn.reviewLine();
        }
    }

    @Override
    public CompletableFuture<Void> ended(Turn turn, StepJob job) {
        return free(turn, new Seat(job.document(), job.step(), job.round()));
    }

    private boolean isCreator(Kept kept) {
        return kept.document().plan().creator().equals(node);
    }

    private static Seat seat(Step step) {
        return new Seat(step.job().id(), step.index(), step.round());
    }

    private static JobDocument document(Transition transition, Kept otherwise) {
        return transition instanceof Transition.To to ? to.document() : otherwise.document();
    }
}
