package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import tools.jackson.databind.node.ObjectNode;

/**
 * A work item of the simulation.
 *
 * @param body the content at its creation
 * @param nodes the nodes that work on its kind
 * @param retry when it is tried again
 * @param place the node in whose CouchDB it is created
 * @param time the time of its creation
 * @param due the time from which it may be worked on
 */
record Item(
        String id,
        ObjectNode body,
        SortedSet<String> nodes,
        Effect effect,
        RetryStrategy retry,
        String place,
        Duration time,
        Duration due,
        Refusal refusal) {

    /** What its CouchDB refuses in addition to conflicts. */
    enum Refusal {
        NOTHING,
        /** Its deletion. */
        DELETION,
        /** All outcomes. */
        OUTCOME
    }

    boolean succeeds() {
        return effect.succeedsAt(retry.maxRetries() + 1);
    }

    /** {@return why a document with its id is refused; empty if it is accepted} */
    Optional<String> refuses(ObjectNode document) {
        boolean isDeletion = document.path("_deleted").asBoolean(false);
        return switch (refusal) {
            case NOTHING -> Optional.empty();
            case DELETION -> isDeletion ? Optional.of("nobody deletes here") : Optional.empty();
            case OUTCOME ->
                isDeletion || document.hasNonNull("status") ? Optional.of("only claims are written") : Optional.empty();
        };
    }
}
