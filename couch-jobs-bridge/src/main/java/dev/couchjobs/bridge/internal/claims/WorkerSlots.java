package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.store.SlotReservations.HoldKind;
import dev.couchjobs.bridge.internal.store.SlotReservations.StepRound;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import dev.couchjobs.bridge.internal.transaction.StepTypes;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** This node's workers, and the steps that they are kept for. */
final class WorkerSlots {
    private final String node;
    private final CouchJobs jobs;
    private final SlotReservations reservations;
    private final InstantSource clock;
    private final int number;

    /** @param number how many there are */
    WorkerSlots(BridgeContext context, SlotReservations reservations, int number) {
        this.node = context.node();
        this.jobs = context.jobs();
        this.reservations = reservations;
        this.clock = context.environment().clock();
        this.number = number;
    }

    CompletableFuture<Boolean> isOneFree(BridgeTransaction transaction) {
        return reservations.count(transaction.tx(), number, clock.millis()).thenApply(kept -> kept < number);
    }

    /** {@return whether a step that no other node may run waits for one} */
    CompletableFuture<Boolean> isSlotMissing(BridgeTransaction transaction) {
        return reservations.count(transaction.tx(), number + 1, clock.millis()).thenApply(kept -> kept > number);
    }

    /** Gives a step to a worker, unless it was given to one. */
    CompletableFuture<Void> take(BridgeTransaction transaction, Step step) {
        StepRound round = round(step);
        return reservations.hold(transaction.tx(), round).thenCompose(hold -> {
            if (hold.isPresent() && hold.get() != HoldKind.CLAIMED) {
                return CompletableFuture.completedFuture(null);
            }
            StepJob job = job(round);
            transaction.add(NewJob.of(StepTypes.of(node), job)
                    .id(job.id())
                    .priority(step.job().plan().priority()));
            return reservations.take(transaction.tx(), round);
        });
    }

    /**
     * Keeps a worker for a step that the node has claimed, if one is free.
     * {@return whether one is kept, also if it was before}
     */
    CompletableFuture<Boolean> keep(BridgeTransaction transaction, StepRound round) {
        return reservations
                .hold(transaction.tx(), round)
                .thenCompose(hold -> hold.isPresent()
                        ? CompletableFuture.completedFuture(true)
                        : isOneFree(transaction).thenApply(isOneFree -> {
                            if (isOneFree) {
                                reservations.claim(transaction.tx(), round);
                            }
                            return isOneFree;
                        }));
    }

    /**
     * {@return whether there still is a worker for a step that the node has claimed} A step that no other node may run
     * may have taken it since then.
     */
    CompletableFuture<Boolean> isKept(BridgeTransaction transaction, StepRound round) {
        return reservations
                .hold(transaction.tx(), round)
                .thenCompose(hold -> hold.equals(Optional.of(HoldKind.TAKEN))
                        ? CompletableFuture.completedFuture(true)
                        : keep(transaction, round)
                                .thenCombine(
                                        isSlotMissing(transaction), (isKept, isOneMissing) -> isKept && !isOneMissing));
    }

    /** Frees the worker that was kept for a step, if one was. */
    CompletableFuture<Void> free(BridgeTransaction transaction, StepRound round) {
        return reservations.hold(transaction.tx(), round).thenCompose(hold -> {
            if (hold.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            transaction.requestQueueReview();
            return reservations.free(transaction.tx(), round);
        });
    }

    /** Frees the worker that was kept for a step because of a claim, if one was. */
    CompletableFuture<Void> freeIfClaimed(BridgeTransaction transaction, StepRound round) {
        return reservations
                .hold(transaction.tx(), round)
                .thenCompose(hold -> hold.equals(Optional.of(HoldKind.CLAIMED))
                        ? free(transaction, round)
                        : CompletableFuture.completedFuture(null));
    }

    /** Takes a step away from the worker that it was given to, if it was. */
    CompletableFuture<Void> revoke(BridgeTransaction transaction, StepRound round) {
        return jobs.remove(transaction.tx(), StepTypes.of(node), job(round).id())
                .thenCompose(removed -> free(transaction, round));
    }

    /** A step that has begun here needs its worker now. */
    CompletableFuture<Void> goOn(BridgeTransaction transaction, StepJob job) {
        return reservations.take(transaction.tx(), round(job));
    }

    /** A step that has begun here needs no worker for some time. */
    CompletableFuture<Void> rest(BridgeTransaction transaction, StepJob job, Duration pause) {
        transaction.requestQueueReview();
        return reservations.retries(transaction.tx(), round(job), clock.millis() + pause.toMillis());
    }

    private static StepJob job(StepRound round) {
        return new StepJob(round.document(), round.step(), round.round());
    }

    static StepRound round(StepJob job) {
        return new StepRound(job.document(), job.step(), job.round());
    }

    static StepRound round(Step step) {
        return new StepRound(step.job().id(), step.index(), step.round());
    }
}
