package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.simulation.ActionAttempt.End;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The laws that hold whenever an action begins: the order of steps, the number of beginnings, and the pauses between
 * tries.
 */
final class ActionLaws {
    /** The process may pause after the beginning, so that the law is checked late. */
    private static final Duration SLACK = Duration.ofSeconds(15);
    /** The same where processes do not pause. */
    private static final Duration SLACK_IF_TIGHT = Duration.ofSeconds(2);
    /** A clock that is set back while the process pauses lengthens its lease. */
    private static final Duration SLACK_OF_CLOCKS = Duration.ofSeconds(10);

    private final BridgeScenario scenario;
    private final Map<String, ScenarioDocument> documents;
    private final LawViolations violations;
    private final Set<String> exempt = new HashSet<>();
    private int begunAgain;
    private int begunElsewhere;

    ActionLaws(BridgeScenario scenario, Map<String, ScenarioDocument> documents, LawViolations violations) {
        this.scenario = scenario;
        this.documents = documents;
        this.violations = violations;
    }

    /** Exempts a document whose state was lost for good. */
    void exempt(String document) {
        exempt.add(document);
    }

    /** The number of repeated beginnings because of a process that was lost, or seemed to be. */
    int begunAgain() {
        return begunAgain;
    }

    /** The number of beginnings on a second node because of a cut. */
    int begunElsewhere() {
        return begunElsewhere;
    }

    void begins(ActionAttempt attempt, List<ActionAttempt> before) {
        ScenarioDocument scenarioDocument = documents.get(attempt.document);
        if (scenarioDocument == null || attempt.step >= scenarioDocument.steps().size()) {
            violations.add("Nobody has asked for " + attempt);
            return;
        }
        ScenarioStep scenarioStep = scenarioDocument.steps().get(attempt.step);
        require(scenarioStep.nodes().contains(attempt.node), attempt, "is not for that node", before);
        inOrder(scenarioDocument, attempt, before);
        List<ActionAttempt> same = before.stream()
                .filter(each -> each.document.equals(attempt.document) && each.step == attempt.step)
                .filter(each -> !scenarioStep.isForAll() || each.node.equals(attempt.node))
                .toList();
        if (!exempt.contains(attempt.document) && !scenarioDocument.isPutAnew()) {
            once(attempt, same);
            retried(scenarioStep, attempt, same);
        }
    }

    private void inOrder(ScenarioDocument scenarioDocument, ActionAttempt attempt, List<ActionAttempt> before) {
        for (int step = 0; step < attempt.step; step++) {
            ScenarioStep earlier = scenarioDocument.steps().get(step);
            Set<String> ended = new HashSet<>();
            for (ActionAttempt each : before) {
                if (each.document.equals(scenarioDocument.id()) && each.step == step && each.end == End.SUCCESS) {
                    ended.add(each.node);
                }
            }
            boolean isOver = earlier.isForAll() ? ended.containsAll(earlier.nodes()) : !ended.isEmpty();
            require(isOver, attempt, "begins before step " + step + " has succeeded", before);
        }
    }

    private void once(ActionAttempt attempt, List<ActionAttempt> same) {
        if (same.isEmpty()) {
            return;
        }
        List<ActionAttempt> elsewhere =
                same.stream().filter(each -> !each.node.equals(attempt.node)).toList();
        if (scenario.isReplicated() && !elsewhere.isEmpty()) {
            elsewhere(attempt, same, elsewhere);
            return;
        }
        ActionAttempt last = same.get(same.size() - 1);
        boolean isNextTry = last.end == End.FAILURE
                && (attempt.isAlternative || (!last.isAlternative && attempt.number == last.number + 1));
        if (!isNextTry && (last.end != End.STOPPED || !scenario.hasClosings())) {
            begunAgain++;
            require(scenario.kind() == BridgeScenario.Kind.WILD, attempt, "was begun already", same);
        }
    }

    private void elsewhere(ActionAttempt attempt, List<ActionAttempt> same, List<ActionAttempt> elsewhere) {
        boolean isFirstHere = same.size() == elsewhere.size();
        if (isFirstHere) {
            begunElsewhere++;
            Duration after = attempt.begin.minus(elsewhere.get(0).begin);
            Duration usual = scenario.isTight() ? SLACK_IF_TIGHT : SLACK;
            Duration slack = scenario.hasRightClocks() ? usual : usual.plus(SLACK_OF_CLOCKS);
            boolean wasCut = scenario.hasLongCuts()
                    && after.compareTo(scenario.claimTimeout().dividedBy(2).minus(slack)) > 0;
            require(wasCut, attempt, "has begun elsewhere", same);
        }
    }

    private void retried(ScenarioStep scenarioStep, ActionAttempt attempt, List<ActionAttempt> same) {
        List<ActionAttempt> failed = same.stream()
                .filter(each -> each.end == End.FAILURE && !each.isAlternative)
                .filter(each -> !scenario.isReplicated() || each.node.equals(attempt.node))
                .toList();
        int most = scenarioStep.retry().maxRetries() + 1;
        if (attempt.isAlternative) {
            boolean isDue = failed.stream()
                    .anyMatch(each -> each.number == most
                            || scenarioStep.retry().maxTime().isPresent());
            require(scenarioStep.alternative().isPresent() && isDue, attempt, "is not due", same);
            return;
        }
        require(attempt.number <= most, attempt, "is one too many", same);
        if (attempt.number > 1) {
            Optional<ActionAttempt> last = failed.stream()
                    .filter(each -> each.number == attempt.number - 1)
                    .reduce((one, other) -> other);
            require(last.isPresent(), attempt, "follows no try that failed", same);
            last.filter(each -> scenario.hasRightClocks())
                    .ifPresent(each -> require(
                            attempt.begin
                                            .minus(each.endTime())
                                            .compareTo(scenarioStep
                                                    .retry()
                                                    .pauseAfter(each.number, Duration.ZERO)
                                                    .orElse(Duration.ZERO))
                                    >= 0,
                            attempt,
                            "comes before the pause is over",
                            same));
        }
    }

    private void require(boolean held, ActionAttempt attempt, String otherwise, List<ActionAttempt> before) {
        if (!held) {
            violations.add("<" + attempt + "> " + otherwise + "; before it were:\n  "
                    + String.join(
                            "\n  ",
                            before.stream()
                                    .filter(each -> each.document.equals(attempt.document))
                                    .map(ActionAttempt::toString)
                                    .toList()));
        }
    }
}
