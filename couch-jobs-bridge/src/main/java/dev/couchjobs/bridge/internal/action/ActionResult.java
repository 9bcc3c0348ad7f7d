package dev.couchjobs.bridge.internal.action;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The result of an action.
 *
 * @param success whether it has succeeded
 * @param isFinal whether another try is useless, whatever the step's retry strategy
 * @param exitStatus the exit status of a command or the status code of HTTP, if there is one
 * @param output the output, or its beginning and end
 * @param isOutputCut whether the output is not complete
 * @param reason why it failed, with what a person can do
 * @param retryAfter the shortest pause before a retry, if the other side has requested one
 */
public record ActionResult(
        boolean success,
        boolean isFinal,
        OptionalInt exitStatus,
        String output,
        boolean isOutputCut,
        Optional<String> reason,
        Optional<Duration> retryAfter) {

    /** {@return a success without details} */
    public static ActionResult succeeded() {
        return new ActionResult(true, false, OptionalInt.empty(), "", false, Optional.empty(), Optional.empty());
    }

    /** {@return a failure after which another try may succeed} */
    public static ActionResult failed(String reason) {
        return new ActionResult(false, false, OptionalInt.empty(), "", false, Optional.of(reason), Optional.empty());
    }

    /** {@return a failure after which no other try can succeed} */
    public static ActionResult refused(String reason) {
        return new ActionResult(false, true, OptionalInt.empty(), "", false, Optional.of(reason), Optional.empty());
    }

    ActionResult withStatus(int status) {
        return new ActionResult(success, isFinal, OptionalInt.of(status), output, isOutputCut, reason, retryAfter);
    }

    ActionResult withOutput(String said, boolean isCut) {
        return new ActionResult(success, isFinal, exitStatus, said, isCut, reason, retryAfter);
    }

    ActionResult because(String why) {
        return new ActionResult(success, isFinal, exitStatus, output, isOutputCut, Optional.of(why), retryAfter);
    }

    ActionResult retryAfter(Optional<Duration> pause) {
        return new ActionResult(success, isFinal, exitStatus, output, isOutputCut, reason, pause);
    }
}
