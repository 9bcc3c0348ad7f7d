package dev.couchjobs.bridge.simulation;

import java.util.List;
import java.util.function.Predicate;

/**
 * No two attempts at the same action run at once: after a bridge has given an action up, it begins again only when it
 * has ended. A process that pauses for long may lose its claim, so the law holds only where none does.
 */
final class AloneLaw {
    private final BridgeScenario scenario;
    private final Predicate<ActionAttempt> mayRunBeside;
    private final LawViolations violations;

    /** @param mayRunBeside whether other attempts at the same action may still run */
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
