package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import tools.jackson.databind.node.ObjectNode;

/** People who create and change documents, each in the CouchDB of a node. */
final class People {
    private static final List<PersonEdit> DEEDS = List.of(PersonEdit.values());

    private final Simulation simulation;
    private final RandomGenerator random;
    private final List<BridgeNode> nodes;
    private final Map<String, ScenarioDocument> documents;

    People(Simulation simulation, List<BridgeNode> nodes, Map<String, ScenarioDocument> documents) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.nodes = nodes;
        this.documents = documents;
    }

    /** Creates a document at its time. */
    void put(ScenarioDocument document) {
        at(document.time(), () -> {
            WriteResult result = place(document.place()).database().write(document.body());
            if (!(result instanceof WriteResult.Accepted)) {
                throw new AssertionError(result);
            }
            simulation.log(document.id() + " is put at " + document.place() + ": " + document.body());
        });
    }

    /** Changes a document at a time before the latest. */
    void change(Duration latest) {
        at(Duration.ofMillis(random.nextLong(latest.toMillis())), () -> {
            List<String> ids = List.copyOf(documents.keySet());
            ScenarioDocument document = Objects.requireNonNull(documents.get(ids.get(random.nextInt(ids.size()))));
            BridgeNode node = nodes.get(random.nextInt(nodes.size()));
            PersonEdit personEdit = DEEDS.get(random.nextInt(DEEDS.size()));
            Optional<Leaf> current = node.database().read(document.id()).current();
            current.ifPresent(leaf -> change(node, document, personEdit, leaf));
        });
    }

    private void change(BridgeNode node, ScenarioDocument document, PersonEdit personEdit, Leaf leaf) {
        ObjectNode shown = leaf.body().deepCopy().put("_id", document.id()).put("_rev", leaf.revision());
        WriteResult result = node.database().write(personEdit.on(shown, document.body(), random));
        simulation.log(personEdit + " of " + document.id() + " at " + node.name() + ": " + result);
        if (result instanceof WriteResult.Accepted) {
            document.personEdits().add(personEdit);
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
