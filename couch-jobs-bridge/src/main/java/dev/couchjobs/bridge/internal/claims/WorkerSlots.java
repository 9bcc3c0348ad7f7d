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
import java.util.function.IntSupplier;

/** The worker slots of this node, and the steps for which they are reserved. */
final class WorkerSlots {
    private final String node;
    private final CouchJobs jobs;
    private final SlotReservations reservations;
    private final InstantSource clock;
    private final IntSupplier number;

    /** @param number the number of slots, which may change */
    WorkerSlots(BridgeContext context, SlotReservations reservations, IntSupplier number) {
        this.node = context.node();
        this.jobs = context.jobs();
        this.reservations = reservations;
        this.clock = context.environment().clock();
        this.number = number;
    }

    CompletableFuture<Boolean> isOneFree(BridgeTransaction transaction) {
        int slots = number.getAsInt();
        return reservations.count(transaction.tx(), slots, clock.millis()).thenApply(kept -> kept < slots);
    }

    /** {@return whether a step that only this node may run waits for a slot} */
    CompletableFuture<Boolean> isSlotMissing(BridgeTransaction transaction) {
        int slots = number.getAsInt();
        return reservations.count(transaction.tx(), slots + 1, clock.millis()).thenApply(kept -> kept > slots);
    }

    /** Adds the job of a step and reserves its slot, unless this has been done before. */
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

    /** Reserves a slot for a claimed step, if one is free. {@return whether the step has a slot} */
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

    /** {@return whether a claimed step still has a slot} A step that only this node may run may have taken the slot. */
    CompletableFuture<Boolean> isKept(BridgeTransaction transaction, StepRound round) {
        return reservations
                .hold(transaction.tx(), round)
                .thenCompose(hold -> hold.equals(Optional.of(HoldKind.TAKEN))
                        ? CompletableFuture.completedFuture(true)
                        : keep(transaction, round)
                                .thenCombine(
                                        isSlotMissing(transaction), (isKept, isOneMissing) -> isKept && !isOneMissing));
    }

    /** Frees the slot of a step, if it has one. */
    CompletableFuture<Void> free(BridgeTransaction transaction, StepRound round) {
        return reservations.hold(transaction.tx(), round).thenCompose(hold -> {
            if (hold.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            transaction.requestQueueReview();
            return reservations.free(transaction.tx(), round);
        });
    }

    /** Frees the slot of a step that is claimed and not taken. */
    CompletableFuture<Void> freeIfClaimed(BridgeTransaction transaction, StepRound round) {
        return reservations
                .hold(transaction.tx(), round)
                .thenCompose(hold -> hold.equals(Optional.of(HoldKind.CLAIMED))
                        ? free(transaction, round)
                        : CompletableFuture.completedFuture(null));
    }

    /** Changes the priority of the job of a step, if this node has one. */
    CompletableFuture<Void> reprioritise(BridgeTransaction transaction, StepRound round, int priority) {
        return jobs.control()
                .reprioritise(transaction.tx(), StepTypes.of(node), job(round).id(), priority)
                .thenApply(isChanged -> null);
    }

    /** Removes the job of a step, and frees its slot. */
    CompletableFuture<Void> revoke(BridgeTransaction transaction, StepRound round) {
        return jobs.remove(transaction.tx(), StepTypes.of(node), job(round).id())
                .thenCompose(removed -> free(transaction, round));
    }

    /** Reserves a slot for a step that runs on this node. */
    CompletableFuture<Void> reserve(BridgeTransaction transaction, StepJob job) {
        return reservations.take(transaction.tx(), round(job));
    }

    /** Frees the slot of a step that runs on this node until its next try. */
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
