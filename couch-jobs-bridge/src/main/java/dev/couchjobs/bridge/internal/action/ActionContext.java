package dev.couchjobs.bridge.internal.action;

import java.time.Duration;
import java.util.Optional;

/**
 * For what an action is done.
 *
 * @param documentId the job document's id
 * @param step the step's index, from 0
 * @param node the node that does it
 * @param attempt which try this is, from 1
 * @param timeout how long it may take
 * @param isOnEveryNode whether other nodes do the same step, too, so that their runs and this one are not the same
 */
public record ActionContext(
        String documentId, int step, String node, int attempt, Optional<Duration> timeout, boolean isOnEveryNode) {

    /** For a step that runs on one node only. */
    public ActionContext(String documentId, int step, String node, int attempt, Optional<Duration> timeout) {
        this(documentId, step, node, attempt, timeout, false);
    }
}
