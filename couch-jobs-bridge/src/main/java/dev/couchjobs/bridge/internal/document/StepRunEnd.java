package dev.couchjobs.bridge.internal.document;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * What came of a run.
 *
 * @param exitStatus a command's exit status, or an HTTP request's status code, if there is one
 * @param alternativeExitStatus that of {@code alt_do}, if that was run
 * @param output what it has said, in part if that was much
 * @param isOutputCut whether it is a part
 * @param reason why it failed, for a person to act on
 */
public record StepRunEnd(
        OptionalInt exitStatus,
        OptionalInt alternativeExitStatus,
        Optional<String> output,
        boolean isOutputCut,
        Optional<String> reason) {
    private static final String STOPPED = "stopped: ";

    /** {@return an end of which nothing more is known} */
    public static StepRunEnd silent() {
        return new StepRunEnd(OptionalInt.empty(), OptionalInt.empty(), Optional.empty(), false, Optional.empty());
    }

    /**
     * {@return the end of a run that was stopped because its job had ended}
     *
     * @param why for people
     */
    public static StepRunEnd stopped(String why) {
        return new StepRunEnd(
                OptionalInt.empty(), OptionalInt.empty(), Optional.empty(), false, Optional.of(STOPPED + why));
    }

    /** {@return whether it was stopped because its job had ended, so that it does not say why the job has} */
    public boolean isStopped() {
        return reason.filter(text -> text.startsWith(STOPPED)).isPresent();
    }

    /** {@return the same with no more than a document can take: the end of the output, the beginning of the reason} */
    StepRunEnd within(int outputBytes) {
        Optional<String> shorter = output.map(text -> DocumentLimits.lastBytes(text, outputBytes));
        return new StepRunEnd(
                exitStatus,
                alternativeExitStatus,
                shorter,
                isOutputCut || !shorter.equals(output),
                reason.map(DocumentLimits::reason));
    }
}
