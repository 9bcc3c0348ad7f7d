package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import tools.jackson.databind.node.ObjectNode;

/**
 * A work item that is put somewhere, and what is known of it beforehand.
 *
 * @param body as it is put
 * @param nodes who does work of its kind
 * @param retry how often it is tried
 * @param place the node at whose CouchDB it is put
 * @param time when
 * @param due from when on it may be done
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

    /** What its CouchDB refuses, besides what it has to. */
    enum Refusal {
        NOTHING,
        /** That it is deleted. */
        DELETION,
        /** Whatever tells what came of it. */
        OUTCOME
    }

    boolean succeeds() {
        return effect.succeedsAt(retry.maxRetries() + 1);
    }

    /** {@return why a document of its id is refused, if it is} */
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
