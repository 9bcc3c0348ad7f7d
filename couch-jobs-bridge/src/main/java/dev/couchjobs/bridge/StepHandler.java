package dev.couchjobs.bridge;

import java.util.Optional;

/**
 * Handles steps of kind {@code java}. Documents refer to it by the name under which it is registered with the bridge.
 * It may block. Each call has a thread of its own, and several may run at once.
 *
 * <p>The bridge interrupts the handler when the step is cancelled, exceeds its time limit, or is released because the
 * bridge closes. The handler should then return soon. No node runs the step again before it has returned or ten seconds
 * have passed. A handler that ignores the interrupt cannot be ended: another node may then run a released step at the
 * same time.
 */
@FunctionalInterface
public interface StepHandler {

    /**
     * Runs the step.
     *
     * @param step the step and its data
     * @return the output to write into the document, if any; of a long text only the beginning and the end are kept
     * @throws dev.couchjobs.PermanentFailureException if the step has failed and another try is useless, whatever its
     *     retry strategy
     * @throws Exception if this try has failed; the document shows the message as the reason
     */
    Optional<String> run(StepContext step) throws Exception;
}
