package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.ledger.Seats;
import dev.couchjobs.bridge.internal.ledger.Seats.Hold;
import dev.couchjobs.bridge.internal.ledger.Seats.Seat;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** This node's workers, and the steps that they are kept for. */
final class Workers {
    private final String node;
    private final CouchJobs jobs;
    private final Seats seats;
    private final InstantSource clock;
    private final int number;

    /** @param number how many there are */
    Workers(BridgeContext context, Seats seats, int number) {
        this.node = context.node();
        this.jobs = context.jobs();
        this.seats = seats;
        this.clock = context.environment().clock();
        this.number = number;
    }

    CompletableFuture<Boolean> isOneFree(Turn turn) {
        return seats.count(turn.tx(), number, clock.millis()).thenApply(kept -> kept < number);
    }

    /** {@return whether a step that no other node may run waits for one} */
    CompletableFuture<Boolean> isOneMissing(Turn turn) {
        return seats.count(turn.tx(), number + 1, clock.millis()).thenApply(kept -> kept > number);
    }

    /** Gives a step to a worker, unless it was given to one. */
    CompletableFuture<Void> take(Turn turn, Step step) {
        Seat seat = seat(step);
        return seats.hold(turn.tx(), seat).thenCompose(hold -> {
            if (hold.isPresent() && hold.get() != Hold.CLAIMED) {
                return CompletableFuture.completedFuture(null);
            }
            StepJob job = job(seat);
            turn.add(NewJob.of(StepTypes.of(node), job)
                    .id(job.id())
                    .priority(step.job().plan().priority()));
            return seats.take(turn.tx(), seat);
        });
    }

    /**
     * Keeps a worker for a step that the node has claimed, if one is free.
     * {@return whether one is kept, also if it was before}
     */
    CompletableFuture<Boolean> keep(Turn turn, Seat seat) {
        return seats.hold(turn.tx(), seat)
                .thenCompose(hold -> hold.isPresent()
                        ? CompletableFuture.completedFuture(true)
                        : isOneFree(turn).thenApply(isOneFree -> {
                            if (isOneFree) {
                                seats.claim(turn.tx(), seat);
                            }
                            return isOneFree;
                        }));
    }

    /**
     * {@return whether there still is a worker for a step that the node has claimed} A step that no other node may run
     * may have taken it since then.
     */
    CompletableFuture<Boolean> isKept(Turn turn, Seat seat) {
        return seats.hold(turn.tx(), seat)
                .thenCompose(hold -> hold.equals(Optional.of(Hold.TAKEN))
                        ? CompletableFuture.completedFuture(true)
                        : keep(turn, seat)
                                .thenCombine(isOneMissing(turn), (isKept, isOneMissing) -> isKept && !isOneMissing));
    }

    /** Frees the worker that was kept for a step, if one was. */
    CompletableFuture<Void> free(Turn turn, Seat seat) {
        return seats.hold(turn.tx(), seat).thenCompose(hold -> {
            if (hold.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            turn.reviewLine();
            return seats.free(turn.tx(), seat);
        });
    }

    /** Frees the worker that was kept for a step because of a claim, if one was. */
    CompletableFuture<Void> freeIfClaimed(Turn turn, Seat seat) {
        return seats.hold(turn.tx(), seat)
                .thenCompose(hold -> hold.equals(Optional.of(Hold.CLAIMED))
                        ? free(turn, seat)
                        : CompletableFuture.completedFuture(null));
    }

    /** Takes a step away from the worker that it was given to, if it was. */
    CompletableFuture<Void> takeBack(Turn turn, Seat seat) {
        return jobs.remove(turn.tx(), StepTypes.of(node), job(seat).id()).thenCompose(removed -> free(turn, seat));
    }

    /** A step that has begun here needs its worker now. */
    CompletableFuture<Void> goOn(Turn turn, StepJob job) {
        return seats.take(turn.tx(), seat(job));
    }

    /** A step that has begun here needs no worker for some time. */
    CompletableFuture<Void> rest(Turn turn, StepJob job, Duration pause) {
        turn.reviewLine();
        return seats.rest(turn.tx(), seat(job), clock.millis() + pause.toMillis());
    }

    private static StepJob job(Seat seat) {
        return new StepJob(seat.document(), seat.step(), seat.round());
    }

    static Seat seat(StepJob job) {
        return new Seat(job.document(), job.step(), job.round());
    }

    static Seat seat(Step step) {
        return new Seat(step.job().id(), step.index(), step.round());
    }
}
