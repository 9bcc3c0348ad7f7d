package dev.couchjobs.bridge;

import java.util.Optional;

/**
 * Does a step of kind {@code java}: a document names it by the name under which it was registered with the bridge. It
 * may block; it runs on a thread of its own, and several may run at a time.
 *
 * <p>It is interrupted when the step is cancelled, has taken longer than it may, or is given back because the bridge
 * ends. It should end soon then: until it has, or ten seconds have passed, no node runs the step again. One that does
 * not heed its interrupt cannot be ended: a step that is given back may then be run by another node while it still runs
 * here.
 */
@FunctionalInterface
public interface StepHandler {

    /**
     * Does the step.
     *
     * @param step which step of which job, and its data
     * @return what to write into the document as the step's output, if anything; of a long text only the beginning and
     *     the end are kept
     * @throws dev.couchjobs.PermanentFailureException if the step has failed and to try again would be of no use,
     *     whatever its retry strategy says
     * @throws Exception if this try failed; the message is what the document shows as the reason
     */
    Optional<String> run(StepContext step) throws Exception;
}
