package dev.couchjobs.bridge.simulation;

import java.util.List;
import java.util.function.Predicate;

/**
 * Nothing is done by two at once: what a bridge gives up, because it ends or for another reason, is begun anew only
 * when it has ended. Whoever pauses for long may lose it meanwhile, so this holds where nobody does.
 */
final class AloneLaw {
    private final BridgeScenario scenario;
    private final Predicate<ActionAttempt> mayRunBeside;
    private final LawViolations violations;

    /** @param mayRunBeside whether other attempts of the same may still run */
    AloneLaw(BridgeScenario scenario, Predicate<ActionAttempt> mayRunBeside, LawViolations violations) {
        this.scenario = scenario;
        this.mayRunBeside = mayRunBeside;
        this.violations = violations;
    }

    void begins(ActionAttempt attempt, List<ActionAttempt> before) {
        if (scenario.kind() == BridgeScenario.Kind.WILD) {
            return;
        }
        for (ActionAttempt each : before) {
            if (each.isOpen()
                    && each.document.equals(attempt.document)
                    && each.step == attempt.step
                    && (each.node.equals(attempt.node) || !mayRunBeside.test(attempt))) {
                violations.add("<" + attempt + "> begins while this goes on: " + each);
            }
        }
    }
}
