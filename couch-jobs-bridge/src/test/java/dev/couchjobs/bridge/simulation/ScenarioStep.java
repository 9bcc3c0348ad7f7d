package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.util.Optional;
import java.util.SortedSet;

/**
 * A step as it was asked for.
 *
 * @param isTargeted whether the document names the one node that does it
 * @param isForAll whether all these nodes are to do it, and not one of them
 * @param nodes who may
 */
record ScenarioStep(
        boolean isTargeted,
        boolean isForAll,
        SortedSet<String> nodes,
        Effect effect,
        Optional<Effect> alternative,
        RetryStrategy retry) {

    /** {@return whether it has to come to a good end, unless somebody interferes} */
    boolean succeeds() {
        return effect.succeedsAt(retry.maxRetries() + 1)
                || alternative.filter(other -> other.succeedsAt(1)).isPresent();
    }

    /** How many runs it has. */
    int runs() {
        return isForAll ? nodes.size() : 1;
    }
}
