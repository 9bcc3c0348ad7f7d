package dev.couchjobs.bridge.internal.document;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The result of a run.
 *
 * @param exitStatus the exit status of a command, or the status code of an HTTP request, if there is one
 * @param alternativeExitStatus that of {@code alt_do}, if it has run
 * @param output the output, or its end
 * @param isOutputCut whether the output is not complete
 * @param reason why the run failed, with what a person can do
 */
public record StepRunEnd(
        OptionalInt exitStatus,
        OptionalInt alternativeExitStatus,
        Optional<String> output,
        boolean isOutputCut,
        Optional<String> reason) {
    private static final String STOPPED = "stopped: ";

    /** {@return a result without details} */
    public static StepRunEnd silent() {
        return new StepRunEnd(OptionalInt.empty(), OptionalInt.empty(), Optional.empty(), false, Optional.empty());
    }

    /**
     * {@return the result of a run that was stopped because its job had ended}
     *
     * @param why the reason, for people
     */
    public static StepRunEnd stopped(String why) {
        return new StepRunEnd(
                OptionalInt.empty(), OptionalInt.empty(), Optional.empty(), false, Optional.of(STOPPED + why));
    }

    /** {@return whether the run was stopped because its job had ended; it then does not explain the end of the job} */
    public boolean isStopped() {
        return reason.filter(text -> text.startsWith(STOPPED)).isPresent();
    }

    /** {@return this, shortened to the limits: the end of the output, and the beginning of the reason} */
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
