package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The documents whose current step this node may claim as soon as a slot is free. */
final class StepQueue {
    /** The number of documents at the head of the queue among which a node chooses. */
    private static final int CHOICE = 64;

    private final String node;
    private final NodeDirectory cluster;
    private final InstantSource clock;
    private final SlotReservations reservations;

    StepQueue(BridgeContext context, SlotReservations reservations) {
        this.node = context.node();
        this.cluster = context.cluster();
        this.clock = context.environment().clock();
        this.reservations = reservations;
    }

    /** Adds a document to the queue if its current step may run on this node. {@return what to store} */
    Kept enter(BridgeTransaction transaction, Kept now) {
        JobDocument document = now.document();
        if (!document.step(document.currentStep()).plan().target().includes(node)) {
            return leave(transaction, now);
        }
        transaction.requestQueueReview();
        if (now.entry().waitsSince().isPresent()) {
            return now;
        }
        long since = clock.millis();
        reservations.enter(transaction.tx(), document.plan().priority(), since, document.id());
        return now.with(now.entry().waiting(OptionalLong.of(since)));
    }

    /** Removes a document from the queue. {@return what to store} */
    Kept leave(BridgeTransaction transaction, Kept now) {
        OptionalLong since = now.entry().waitsSince();
        if (since.isEmpty()) {
            return now;
        }
        JobDocument document = now.document();
        reservations.leave(transaction.tx(), document.plan().priority(), since.getAsLong(), document.id());
        return now.with(now.entry().waiting(OptionalLong.empty()));
    }

    /** Moves a document, if it is in the queue, to the place of another priority, among those behind which it came. */
    void move(BridgeTransaction transaction, Kept before, int priority) {
        before.entry().waitsSince().ifPresent(since -> {
            JobDocument document = before.document();
            reservations.leave(transaction.tx(), document.plan().priority(), since, document.id());
            reservations.enter(transaction.tx(), priority, since, document.id());
        });
    }

    /** {@return the document for the next free slot, if one waits} */
    CompletableFuture<Optional<String>> first(BridgeTransaction transaction) {
        return reservations
                .first(transaction.tx(), CHOICE)
                .thenApply(first -> first.stream()
                        .min(Comparator.comparingInt(this::rank))); // the first of equal ones has waited longest
    }

    /**
     * The order in which nodes choose documents. It differs from node to node, so that two nodes seldom claim the same.
     */
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
}
