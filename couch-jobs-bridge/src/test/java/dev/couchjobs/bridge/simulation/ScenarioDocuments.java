package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Creates random documents. */
final class ScenarioDocuments {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int STEPS_MAX = 4;
    private static final int USUAL_MILLIS = 2_000;

    private final BridgeScenario scenario;
    private final RandomGenerator random;

    ScenarioDocuments(BridgeScenario scenario, RandomGenerator random) {
        this.scenario = scenario;
        this.random = random;
    }

    /** {@return a document to create before the latest time} */
    ScenarioDocument next(int number, Duration latest) {
        String id = "job-" + number;
        List<String> nodes = scenario.nodes();
        String creator = nodes.get(random.nextInt(nodes.size()));
        String place = random.nextInt(5) == 0 ? nodes.get(random.nextInt(nodes.size())) : creator;
        Duration time = Duration.ofMillis(random.nextLong(latest.toMillis()));
        ObjectNode body = JSON.objectNode().put("_id", id).put("creator", creator);
        if (random.nextInt(3) == 0) {
            body.put("priority", random.nextInt(-1, 2));
        }
        List<ScenarioStep> scenarioSteps = new ArrayList<>();
        ArrayNode steps = body.putArray("job");
        for (int left = 1 + random.nextInt(STEPS_MAX); left > 0; left--) {
            scenarioSteps.add(step(steps.addObject()));
        }
        if (scenario.kind() != BridgeScenario.Kind.CALM && random.nextInt(10) == 0) {
            spoil(body);
            scenarioSteps.clear();
        }
        return new ScenarioDocument(id, body, List.copyOf(scenarioSteps), creator, place, time);
    }

    private void spoil(ObjectNode body) {
        switch (random.nextInt(4)) {
            case 0 -> body.remove("creator");
            case 1 -> body.put("creator", "nobody");
            case 2 -> body.put("jobstatus", "new");
            default -> ((ObjectNode) body.path("job").path(0)).put("target", "nowhere");
        }
    }

    private ScenarioStep step(ObjectNode step) {
        ScenarioStep scenarioStep = part(step);
        step.put("do", scenarioStep.effect().command());
        scenarioStep.alternative().ifPresent(other -> step.put("alt_do", other.command()));
        RetryStrategy retry = scenarioStep.retry();
        if (retry.maxRetries() > 0) {
            ObjectNode strategy = step.putObject("retry_strategy");
            strategy.put("max_retries", retry.maxRetries());
            strategy.put("sleep", retry.sleep().toSeconds());
            strategy.put("sleep_factor", retry.sleepFactor());
            retry.maxTime().ifPresent(time -> strategy.put("max_time", time.toSeconds()));
        }
        return scenarioStep;
    }

    private ScenarioStep part(ObjectNode step) {
        List<String> nodes = scenario.nodes();
        SortedSet<String> all = new TreeSet<>(nodes);
        boolean isTargeted = false;
        boolean isForAll = false;
        switch (random.nextInt(5)) {
            case 0 -> {
                isForAll = true;
                step.put("target", "all");
            }
            case 1, 2 -> step.put("target", "any");
            case 3 -> {
                String left = nodes.get(random.nextInt(nodes.size()));
                all.removeIf(node -> !node.equals(left) && random.nextBoolean());
                ArrayNode set = step.putArray("target");
                all.forEach(set::add);
                isTargeted = all.size() == 1;
            }
            default -> {
                isTargeted = true;
                String only = nodes.get(random.nextInt(nodes.size()));
                all.removeIf(node -> !node.equals(only));
                step.put("target", only);
            }
        }
        RetryStrategy retry = retry();
        int succeedsFrom = retry.maxTime().isPresent() ? 0 : random.nextInt(4) == 0 ? random.nextInt(4) : 1;
        Optional<Effect> alternative = succeedsFrom != 1 && random.nextBoolean()
                ? Optional.of(new Effect(true, length(), random.nextInt(3) == 0 ? 0 : 1))
                : Optional.empty();
        return new ScenarioStep(
                isTargeted, isForAll, all, new Effect(false, length(), succeedsFrom), alternative, retry);
    }

    private RetryStrategy retry() {
        if (random.nextBoolean()) {
            return RetryStrategy.none();
        }
        Optional<Duration> most =
                random.nextInt(6) == 0 ? Optional.of(Duration.ofSeconds(random.nextInt(5))) : Optional.empty();
        return new RetryStrategy(
                1 + random.nextInt(3),
                Duration.ofSeconds(random.nextInt(3)),
                1 + random.nextInt(2),
                Optional.empty(),
                most);
    }

    private Duration length() {
        return switch (random.nextInt(8)) {
            case 0 -> Duration.ofMillis(random.nextLong(scenario.longStep().toMillis()));
            case 1, 2 -> Duration.ZERO;
            default -> Duration.ofMillis(random.nextInt(USUAL_MILLIS));
        };
    }
}
