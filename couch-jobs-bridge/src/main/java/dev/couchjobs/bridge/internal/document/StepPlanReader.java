package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Optional;

/** Reads the plan of a step. */
final class StepPlanReader {
    private static final String SHELL = "shell";

    private final TargetReader targets;

    StepPlanReader(TargetReader targets) {
        this.targets = targets;
    }

    /** {@return the plan, if it is valid} */
    Optional<StepPlan> read(Fields step) {
        Optional<Target> target = targets.read(step, StepRunReader.isFinished(step));
        step.requires("do", "say what is to be done");
        Optional<String> kind = ActionReader.kind(step, "kind", SHELL);
        Optional<String> otherKind = ActionReader.kind(step, "alt_kind", kind.orElse(SHELL));
        Optional<ActionPlan> action = kind.flatMap(name -> ActionReader.read(step, "do", name));
        Optional<ActionPlan> alternative = otherKind.flatMap(name -> ActionReader.read(step, "alt_do", name));
        Optional<Duration> timeout = step.seconds("timeout");
        if (timeout.isPresent() && timeout.get().isZero()) {
            step.fault("timeout", "is 0; omit it for no time limit");
        }
        RetryStrategy retry =
                step.object("retry_strategy").map(StepPlanReader::retry).orElseGet(RetryStrategy::none);
        return target.isEmpty() || action.isEmpty()
                ? Optional.empty()
                : Optional.of(new StepPlan(target.get(), action.get(), alternative, retry, timeout));
    }

    private static RetryStrategy retry(Fields fields) {
        fields.only(FieldNames.RETRY);
        return new RetryStrategy(
                fields.integer("max_retries", 0).orElse(0),
                fields.seconds("sleep").orElse(Duration.ZERO),
                fields.number("sleep_factor", 1).orElse(1.0),
                fields.seconds("sleep_max"),
                fields.seconds("max_time"));
    }
}
