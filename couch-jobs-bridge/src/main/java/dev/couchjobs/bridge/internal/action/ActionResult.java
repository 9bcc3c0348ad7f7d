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
 * @param notBefore how long a retry has to wait at least, if the other side has said so
 */
public record ActionResult(
        boolean success,
        boolean isFinal,
        OptionalInt exitStatus,
        String output,
        boolean isOutputCut,
        Optional<String> reason,
        Optional<Duration> notBefore) {}
