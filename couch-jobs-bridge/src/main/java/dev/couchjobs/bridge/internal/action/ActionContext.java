package dev.couchjobs.bridge.internal.action;

import java.time.Duration;
import java.util.Optional;

/**
 * The step for which an action runs.
 *
 * @param documentId the job document's id
 * @param step the step's index, from 0
 * @param node the node on which it runs
 * @param attempt the number of the try, from 1
 * @param timeout the time limit
 * @param isOnEveryNode whether other nodes run the same step, too, so that their runs are different ones
 */
public record ActionContext(
        String documentId, int step, String node, int attempt, Optional<Duration> timeout, boolean isOnEveryNode) {

    /** Creates the context of a step that runs on one node. */
    public ActionContext(String documentId, int step, String node, int attempt, Optional<Duration> timeout) {
        this(documentId, step, node, attempt, timeout, false);
    }
}
