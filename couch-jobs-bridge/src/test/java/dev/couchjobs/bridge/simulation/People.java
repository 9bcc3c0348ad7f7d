package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.Written;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import tools.jackson.databind.node.ObjectNode;

/** Those who put documents and change them, each at some node's CouchDB. */
final class People {
    private static final List<Deed> DEEDS = List.of(Deed.values());

    private final Simulation simulation;
    private final RandomGenerator random;
    private final List<BridgeNode> nodes;
    private final Map<String, Task> tasks;

    People(Simulation simulation, List<BridgeNode> nodes, Map<String, Task> tasks) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.nodes = nodes;
        this.tasks = tasks;
    }

    /** Puts a document when its time has come. */
    void put(Task task) {
        at(task.time(), () -> {
            Written written = place(task.place()).database().write(task.body());
            if (!(written instanceof Written.Accepted)) {
                throw new AssertionError(written);
            }
            simulation.log(task.id() + " is put at " + task.place() + ": " + task.body());
        });
    }

    /** Changes some document at some time up to the latest. */
    void change(Duration latest) {
        at(Duration.ofMillis(random.nextLong(latest.toMillis())), () -> {
            List<String> ids = List.copyOf(tasks.keySet());
            Task task = Objects.requireNonNull(tasks.get(ids.get(random.nextInt(ids.size()))));
            BridgeNode node = nodes.get(random.nextInt(nodes.size()));
            Deed deed = DEEDS.get(random.nextInt(DEEDS.size()));
            Optional<Leaf> current = node.database().read(task.id()).current();
            current.ifPresent(leaf -> change(node, task, deed, leaf));
        });
    }

    private void change(BridgeNode node, Task task, Deed deed, Leaf leaf) {
        ObjectNode shown = leaf.body().deepCopy().put("_id", task.id()).put("_rev", leaf.revision());
        Written written = node.database().write(deed.on(shown, task.body(), random));
        simulation.log(deed + " of " + task.id() + " at " + node.name() + ": " + written);
        if (written instanceof Written.Accepted) {
            task.deeds().add(deed);
        }
    }

    private BridgeNode place(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void at(Duration time, Runnable action) {
        var unused = simulation.scheduler().schedule(action, time.toNanos(), TimeUnit.NANOSECONDS);
    }
}
