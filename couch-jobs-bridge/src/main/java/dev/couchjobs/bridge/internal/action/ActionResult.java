package dev.couchjobs.bridge.internal.action;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What came of an action.
 *
 * @param success whether it did what it should
 * @param isFinal if not, whether to try again would be of no use, whatever the step's strategy says
 * @param exitStatus a command's exit status, or an HTTP status code, if it came to one
 * @param output what it has said, in part if that was much
 * @param isOutputCut whether it is a part
 * @param reason why it failed, for a person to act on
 * @param retryAfter how long a retry has to wait at least, if the other side has said so
 */
public record ActionResult(
        boolean success,
        boolean isFinal,
        OptionalInt exitStatus,
        String output,
        boolean isOutputCut,
        Optional<String> reason,
        Optional<Duration> retryAfter) {

    /** {@return a success of which there is nothing to tell yet} */
    public static ActionResult succeeded() {
        return new ActionResult(true, false, OptionalInt.empty(), "", false, Optional.empty(), Optional.empty());
    }

    /** {@return a failure after which another try may do better} */
    public static ActionResult failed(String reason) {
        return new ActionResult(false, false, OptionalInt.empty(), "", false, Optional.of(reason), Optional.empty());
    }

    /** {@return a failure that no other try would mend} */
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
