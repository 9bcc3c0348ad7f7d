package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The plan of a step.
 *
 * @param isTargeted whether the document names the one node that runs it
 * @param isForAll whether all of the nodes run it
 * @param nodes the nodes that may run it
 */
record ScenarioStep(
        boolean isTargeted,
        boolean isForAll,
        SortedSet<String> nodes,
        Effect effect,
        Optional<Effect> alternative,
        RetryStrategy retry) {

    /** {@return whether it succeeds if no person changes the document} */
    boolean succeeds() {
        return effect.succeedsAt(retry.maxRetries() + 1)
                || alternative.filter(other -> other.succeedsAt(1)).isPresent();
    }

    /** {@return the number of its runs} */
    int runs() {
        return isForAll ? nodes.size() : 1;
    }
}
