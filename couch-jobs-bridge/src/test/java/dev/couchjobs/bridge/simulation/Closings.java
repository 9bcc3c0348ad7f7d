package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.simulation.ActionAttempt.End;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Closes bridges as SIGTERM does, and starts them again. Each close ends in time; without faults, CouchDB then contains
 * the ends of all steps that have ended.
 */
final class Closings {
    private static final int MOST = 3;
    /** The bound that the guide promises, so that a supervisor need not kill the process. */
    private static final Duration BOUND = Duration.ofSeconds(80);
    /** A process that pauses is late by the pause. */
    private static final Duration SLACK_OF_PAUSES = Duration.ofSeconds(60);

    private final BridgeScenario scenario;
    private final Simulation simulation;
    private final RandomGenerator random;
    private final Map<String, ScenarioDocument> documents;
    private final ActionJournal steps;
    private final Map<String, Item> items;
    private final ActionJournal work;
    private final LawViolations violations;

    Closings(
            BridgeScenario scenario,
            Simulation simulation,
            RandomGenerator random,
            Map<String, ScenarioDocument> documents,
            ActionJournal steps,
            Map<String, Item> items,
            ActionJournal work,
            LawViolations violations) {
        this.scenario = scenario;
        this.simulation = simulation;
        this.random = random;
        this.documents = documents;
        this.steps = steps;
        this.items = items;
        this.work = work;
        this.violations = violations;
    }

    /** Closes some of the nodes, each at a time before the latest. */
    void begin(List<BridgeNode> nodes, Duration latest) {
        for (int left = scenario.hasClosings() ? 1 + random.nextInt(MOST) : 0; left > 0; left--) {
            BridgeNode node = nodes.get(random.nextInt(nodes.size()));
            after(Duration.ofMillis(random.nextLong(latest.toMillis())), () -> close(node));
        }
    }

    private void close(BridgeNode node) {
        Optional<SimulatedProcess> closing = node.close(this::closed);
        if (closing.isPresent()) {
            SimulatedProcess process = closing.get();
            Duration begin = simulation.elapsed();
            process.log("is closed");
            Duration bound = scenario.kind() == BridgeScenario.Kind.WILD ? BOUND.plus(SLACK_OF_PAUSES) : BOUND;
            after(bound, () -> {
                if (process.isAlive()) {
                    violations.add(process.name() + " was closed at " + begin + " and has not ended");
                }
            });
        }
    }

    private void closed(BridgeNode node, SimulatedProcess process, @Nullable Throwable error) {
        process.log("has closed");
        if (error != null) {
            violations.add(process.name() + " cannot be closed: " + error);
        }
        if (scenario.isCalm()) {
            check(node, process);
        }
    }

    private void check(BridgeNode node, SimulatedProcess process) {
        for (ActionAttempt attempt : steps.attempts()) {
            ScenarioDocument scenarioDocument = documents.get(attempt.document);
            // Where nodes share a database the creator's bridge writes to CouchDB.
            if (attempt.process == process
                    && attempt.end == End.SUCCESS
                    && scenarioDocument != null
                    && (scenario.isReplicated() || scenarioDocument.creator().equals(node.name()))) {
                require(leaf(node, attempt).filter(leaf -> says(leaf, attempt)).isPresent(), node, attempt);
            }
        }
        for (ActionAttempt attempt : work.attempts()) {
            Item item = items.get(attempt.document);
            if (attempt.process == process
                    && attempt.end == End.SUCCESS
                    && item != null
                    && item.refusal() != Item.Refusal.OUTCOME) {
                boolean isTold = leaf(node, attempt)
                        .filter(leaf -> !leaf.body().path("status").asString("").equals("fail"))
                        .isEmpty();
                require(isTold, node, attempt);
            }
        }
    }

    private static boolean says(Leaf leaf, ActionAttempt attempt) {
        JsonNode step = leaf.body().path("job").path(attempt.step);
        JsonNode run = step.has("nodes") ? step.path("nodes").path(attempt.node) : step;
        return run.path("step_status").asString("").equalsIgnoreCase("finished");
    }

    private static Optional<Leaf> leaf(BridgeNode node, ActionAttempt attempt) {
        return node.database().read(attempt.document).current();
    }

    private void require(boolean held, BridgeNode node, ActionAttempt attempt) {
        if (!held) {
            violations.add("The bridge has closed, and its CouchDB is not told of " + attempt + "; it has "
                    + leaf(node, attempt));
        }
    }

    private void after(Duration delay, Runnable action) {
        var unused = simulation.scheduler().schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
}
