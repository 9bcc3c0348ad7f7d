package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.document.RetryStrategy;
import dev.couchjobs.bridge.simulation.BridgeScenario.Topology;
import dev.couchjobs.bridge.simulation.Item.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates random work items, and determines which nodes work on them. A queue is one database; of nodes with databases
 * of their own, one works on the queue.
 */
final class Items {
    private static final List<String> KINDS = List.of("email", "scrape");
    /** The beginning of virtual time on right clocks. */
    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private static final int MOST = 4;
    private static final int LONG_MILLIS = 60_000;
    private static final int USUAL_MILLIS = 4_000;

    /** The nodes that work on a kind, its retries, and its concurrency. */
    record Kind(SortedSet<String> nodes, RetryStrategy retry, int concurrency) {}

    private final BridgeScenario scenario;
    private final RandomGenerator random;
    private final Map<String, Kind> kinds = new TreeMap<>();

    Items(BridgeScenario scenario, RandomGenerator random) {
        this.scenario = scenario;
        this.random = random;
        for (String kind : KINDS) {
            RetryStrategy retry = new RetryStrategy(
                    random.nextInt(3), Duration.ofSeconds(random.nextInt(3)), 1, Optional.empty(), Optional.empty());
            kinds.put(kind, new Kind(workers(), retry, 1 + random.nextInt(2)));
        }
    }

    private SortedSet<String> workers() {
        SortedSet<String> workers = new TreeSet<>(scenario.nodes());
        String left = oneOf(scenario.nodes());
        boolean isOneDatabase = scenario.topology() == Topology.ONE;
        workers.removeIf(node -> !node.equals(left) && (!isOneDatabase || random.nextInt(4) == 0));
        return workers;
    }

    Map<String, Kind> kinds() {
        return kinds;
    }

    /** {@return items to create before the latest time; none in half of the runs} */
    List<Item> make(Duration latest) {
        List<Item> items = new ArrayList<>();
        if (random.nextBoolean()) {
            for (int left = 1 + random.nextInt(MOST); left > 0; left--) {
                items.add(next("item-" + items.size(), latest));
            }
        }
        return items;
    }

    private Item next(String id, Duration latest) {
        String name = oneOf(KINDS);
        Kind kind = kinds.getOrDefault(name, new Kind(new TreeSet<>(), RetryStrategy.none(), 1));
        Effect effect = new Effect(false, length(), random.nextInt(5) < 3 ? 1 : random.nextInt(4));
        Duration time = Duration.ofMillis(random.nextLong(latest.toMillis()));
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("_id", id)
                .put("type", "WorkItem")
                .put("worker", name)
                .put("do", effect.command());
        Duration due = Duration.ZERO;
        if (random.nextInt(3) > 0) {
            due = time.plusSeconds(random.nextInt(-10, 25));
            Instant date = BEGINNING.plus(due);
            if (random.nextBoolean()) {
                body.put("date", date.toString());
            } else {
                body.put("date", date.toEpochMilli() / 1e3);
            }
        }
        return new Item(
                id,
                body,
                kind.nodes(),
                effect,
                kind.retry(),
                kind.nodes().first(),
                time,
                due,
                random.nextInt(10) < 7 ? Refusal.NOTHING : random.nextInt(3) > 0 ? Refusal.DELETION : Refusal.OUTCOME);
    }

    private Duration length() {
        return Duration.ofMillis(
                random.nextInt(scenario.hasClosings() && random.nextInt(3) == 0 ? LONG_MILLIS : USUAL_MILLIS));
    }

    private String oneOf(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }
}
