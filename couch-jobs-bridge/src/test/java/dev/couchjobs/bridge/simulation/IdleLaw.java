package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.simulation.ActionAttempt.End;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** No document waits while a worker that may run its step is free. Checked in runs without faults. */
final class IdleLaw {
    /** The time for communication between nodes. */
    private static final Duration GRACE = Duration.ofSeconds(1);
    /** A worker with short jobs claims some in advance, and releases those that wait after a round of heartbeats. */
    private static final Duration GRACE_OF_WORKERS = Duration.ofSeconds(11);

    private final BridgeScenario scenario;
    private final Collection<ScenarioDocument> documents;
    private final ActionJournal journal;
    private final LawViolations violations;
    private final Map<String, Duration> lastBusy = new HashMap<>();

    IdleLaw(
            BridgeScenario scenario,
            Collection<ScenarioDocument> documents,
            ActionJournal journal,
            LawViolations violations) {
        this.scenario = scenario;
        this.documents = documents;
        this.journal = journal;
        this.violations = violations;
    }

    void check(Duration now) {
        if (!scenario.isCalm() || scenario.hasClosings()) {
            return;
        }
        for (String node : scenario.nodes()) {
            long open = journal.attempts().stream()
                    .filter(each -> each.node.equals(node) && each.isOpen())
                    .count();
            if (open >= scenario.workers()) {
                lastBusy.put(node, now);
            }
        }
        for (ScenarioDocument document : documents) {
            if (!document.isBroken() && document.time().compareTo(now) < 0) {
                check(document, now);
            }
        }
    }

    private void check(ScenarioDocument document, Duration now) {
        Duration ready = document.time();
        for (int step = 0; step < document.steps().size(); step++) {
            ScenarioStep scenarioStep = document.steps().get(step);
            List<ActionAttempt> attempts = journal.of(document.id(), step);
            Optional<Duration> end = end(scenarioStep, attempts);
            if (end.isEmpty()) {
                Set<String> begun = attempts.stream().map(each -> each.node).collect(Collectors.toSet());
                // A part that fails on a node ends the job, and other nodes need not begin theirs.
                if (begun.isEmpty() || (scenarioStep.isForAll() && scenarioStep.succeeds())) {
                    waits(document, step, ready, begun, now);
                }
                return;
            }
            ready = end.get();
        }
    }

    private void waits(ScenarioDocument document, int step, Duration ready, Set<String> begun, Duration now) {
        for (String node : document.steps().get(step).nodes()) {
            Duration since = lastBusy.getOrDefault(node, Duration.ZERO);
            since = since.compareTo(ready) > 0 ? since : ready;
            if (!begun.contains(node)
                    && now.minus(since).compareTo(scenario.isReplicated() ? GRACE : GRACE_OF_WORKERS) > 0) {
                violations.add(document.id() + "[" + step + "] waits since " + ready + ", and " + node
                        + " has been free since " + since + "; it is " + now + " and these have begun: " + begun);
            }
        }
    }

    /** {@return when the step has succeeded on all nodes; empty if it has not} Steps that have failed are ignored. */
    private static Optional<Duration> end(ScenarioStep scenarioStep, List<ActionAttempt> attempts) {
        Map<String, Duration> ends = new HashMap<>();
        attempts.stream()
                .filter(each -> each.end == End.SUCCESS)
                .forEach(each -> ends.merge(each.node, each.endTime(), (one, other) -> one));
        return ends.size() >= scenarioStep.runs() ? ends.values().stream().max(Duration::compareTo) : Optional.empty();
    }
}
