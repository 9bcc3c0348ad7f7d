package dev.couchjobs.bridge.simulation;

import com.apple.foundationdb.Database;
import dev.couchjobs.bridge.testing.CouchFaultWeights;
import dev.couchjobs.bridge.testing.Endpoint;
import dev.couchjobs.bridge.testing.ModelCouch;
import dev.couchjobs.bridge.testing.ModelCouchDatabase;
import dev.couchjobs.bridge.testing.ModelServer;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Several nodes with their bridges, from a seed. In the first phase documents are created and changed while faults
 * occur. In the second there are no faults, and every document has to end.
 */
final class BridgeSimulation implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration CALM_AT_MOST = Duration.ofMinutes(30);
    private static final Duration QUIET = Duration.ofSeconds(30);
    private static final int DEEDS_MAX = 5;
    private static final int JOINED_MILLIS_MAX = 8_000;

    private final BridgeScenario scenario;
    private final Simulation simulation;
    private final RandomGenerator random;
    private final ModelCouch couch;
    private final List<BridgeNode> nodes = new ArrayList<>();
    private final Map<String, ScenarioDocument> documents = new TreeMap<>();
    private final LawViolations violations = new LawViolations();
    private final ActionLaws actionLaws;
    private final ActionJournal journal;
    private final EndLaws endLaws;
    private final IdleLaw idleLaw;
    private final Map<String, Item> items = new TreeMap<>();
    private final ItemLaws itemLaws;
    private final ItemEnds itemEnds;
    private final ForeignClients foreignClients;
    private final Closings closings;
    private boolean isCalm;
    private boolean isClosed;

    /** @param trace receives all events, if it is not null */
    BridgeSimulation(long seed, @Nullable Consumer<String> trace) {
        scenario = BridgeScenario.of(seed);
        simulation = scenario.simulation(seed, trace);
        random = simulation.random();
        simulation.log(scenario.toString());
        CouchFaultWeights weights = scenario.couchWeights(random);
        couch = new ModelCouch(simulation.scheduler(), random.nextLong(), weights, simulation::log);
        actionLaws = new ActionLaws(scenario, documents, violations);
        AloneLaw stepAlone = new AloneLaw(scenario, this::mayRunBeside, violations);
        journal = new ActionJournal(simulation::elapsed, (attempt, before) -> {
            actionLaws.begins(attempt, before);
            stepAlone.begins(attempt, before);
        });
        SplittableRandom own = new SplittableRandom(seed);
        Items made = new Items(scenario, own.split());
        made.make(scenario.chaos().dividedBy(2)).forEach(item -> items.put(item.id(), item));
        itemLaws = new ItemLaws(scenario, items, violations);
        AloneLaw itemAlone = new AloneLaw(scenario, attempt -> false, violations);
        ActionJournal work = new ActionJournal(simulation::elapsed, (attempt, before) -> {
            itemLaws.begins(attempt, before);
            itemAlone.begins(attempt, before);
        });
        NodeWork nodeWork = new NodeWork(items.isEmpty() ? Map.of() : made.kinds(), work, itemLaws);
        for (String name : scenario.nodes()) {
            nodes.add(new BridgeNode(name, scenario, simulation, couch, journal, nodeWork));
        }
        nodes.forEach(node -> node.database().validate(this::refuses));
        itemEnds = new ItemEnds(items.values(), item -> place(item).leaves(item.id()), itemLaws, work);
        foreignClients =
                new ForeignClients(simulation, own.split(), List.copyOf(items.values()), this::place, itemLaws);
        closings = new Closings(scenario, simulation, own.split(), documents, journal, items, work, violations);
        endLaws = new EndLaws(scenario, simulation, couch, nodes, documents.values(), journal);
        idleLaw = new IdleLaw(scenario, documents.values(), journal, violations);
        replicate();
        simulation.onDeath(this::died);
    }

    /**
     * All nodes run a step that is for all; and an action of a document that was lost on all nodes continues beside
     * others.
     */
    private boolean mayRunBeside(ActionAttempt attempt) {
        ScenarioDocument scenarioDocument = Objects.requireNonNull(documents.get(attempt.document));
        return scenarioDocument.isBroken()
                || !scenarioDocument.isLeftAlone()
                || scenarioDocument.steps().get(attempt.step).isForAll();
    }

    private Optional<String> refuses(ObjectNode document) {
        Item item = items.get(document.path("_id").asString());
        return item == null ? Optional.empty() : item.refuses(document);
    }

    private ModelCouchDatabase place(Item item) {
        return nodes.stream()
                .filter(node -> node.name().equals(item.place()))
                .findFirst()
                .orElseThrow()
                .database();
    }

    private void replicate() {
        List<ModelServer> servers =
                nodes.stream().map(BridgeNode::server).distinct().toList();
        String name = BridgeNode.databaseName();
        if (scenario.topology() == BridgeScenario.Topology.MESH) {
            couch.replicateAll(name, servers);
        } else {
            for (ModelServer other : servers.subList(1, servers.size())) {
                couch.replicate(new Endpoint(servers.get(0), name), new Endpoint(other, name));
                couch.replicate(new Endpoint(other, name), new Endpoint(servers.get(0), name));
            }
        }
    }

    private void died(SimulatedProcess dead) {
        for (BridgeNode node : nodes) {
            if (node.owns(dead) && !isClosed) {
                node.died();
                after(Duration.ofMillis(isCalm ? 500 : random.nextLong(8_000)), () -> startAnew(node));
            }
        }
    }

    private void startAnew(BridgeNode node) {
        if (!isClosed) {
            node.start();
        }
    }

    /** Runs both phases. */
    void run() {
        nodes.forEach(BridgeNode::start);
        Duration chaos = scenario.chaos();
        People people = new People(simulation, nodes, documents);
        ScenarioDocuments made = new ScenarioDocuments(scenario, random);
        for (int i = 0; i < scenario.tasks(); i++) {
            ScenarioDocument scenarioDocument = made.next(i, chaos.dividedBy(2));
            documents.put(scenarioDocument.id(), scenarioDocument);
            people.put(scenarioDocument);
        }
        foreignClients.begin(chaos);
        closings.begin(nodes, chaos);
        if (scenario.hasPeople()) {
            for (int left = random.nextInt(DEEDS_MAX); left > 0; left--) {
                people.change(chaos);
            }
        }
        if (scenario.hasLongCuts()) {
            after(Duration.ofMillis(random.nextLong(JOINED_MILLIS_MAX)), this::cutForLong);
        }
        if (scenario.losesDatabases()) {
            after(Duration.ofMillis(random.nextLong(chaos.toMillis())), this::loseDatabase);
        }
        advance(chaos);
        calmDown();
        awaitTheEnd();
        checkTheEnd();
    }

    /** Cuts nodes off repeatedly, with little time for communication between. */
    private void cutForLong() {
        if (isCalm) {
            return;
        }
        Set<ModelServer> off = new LinkedHashSet<>();
        nodes.stream().filter(node -> random.nextBoolean()).forEach(node -> off.add(node.server()));
        couch.cut(off);
        after(cutLength(), () -> {
            couch.join();
            after(Duration.ofMillis(random.nextLong(JOINED_MILLIS_MAX)), this::cutForLong);
        });
    }

    /** Up to somewhat longer than the claim timeout, and often close to half of it. */
    private Duration cutLength() {
        long millis = scenario.claimTimeout().toMillis();
        return Duration.ofMillis(
                random.nextBoolean() ? random.nextLong(millis * 9 / 8) : millis * 3 / 8 + random.nextLong(millis / 4));
    }

    private void loseDatabase() {
        BridgeNode node = nodes.get(random.nextInt(nodes.size()));
        simulation.log(node.name() + " loses its database");
        documents.keySet().forEach(actionLaws::exempt);
        itemLaws.exempt();
        node.kill();
        Database database = simulation.database();
        var unused = database.runAsync(tx -> {
            tx.clear(node.root().range());
            return CompletableFuture.completedFuture(tx);
        });
    }

    private void advance(Duration duration) {
        Duration end = simulation.elapsed().plus(duration);
        while (simulation.elapsed().compareTo(end) < 0) {
            simulation.advance(TICK);
            idleLaw.check(simulation.elapsed());
            violations.check();
        }
    }

    private void calmDown() {
        isCalm = true;
        simulation.calm();
        couch.calm();
    }

    private void awaitTheEnd() {
        Duration latest = simulation.elapsed().plus(CALM_AT_MOST);
        List<String> unfinished = unfinished();
        while (!unfinished.isEmpty()) {
            if (simulation.elapsed().compareTo(latest) > 0) {
                throw new AssertionError("There is no end to it:\n  " + String.join("\n  ", unfinished));
            }
            advance(Duration.ofSeconds(5));
            unfinished = unfinished();
        }
    }

    private void checkTheEnd() {
        Map<String, List<String>> revisions = nodes.get(0).database().revisions();
        advance(QUIET);
        List<String> unfinished = unfinished();
        if (!unfinished.isEmpty() || !nodes.get(0).database().revisions().equals(revisions)) {
            throw new AssertionError("It was over, and goes on: " + unfinished);
        }
        endLaws.check();
        itemEnds.check();
        simulation.log("ends with " + revisions);
    }

    private void after(Duration delay, Runnable action) {
        var unused = simulation.scheduler().schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** {@return what has not ended} */
    List<String> unfinished() {
        List<String> all = endLaws.unfinished();
        itemEnds.unfinished(all);
        if (foreignClients.areBusy()) {
            all.add("strangers go on");
        }
        return all;
    }

    /** The numbers of repeated beginnings. */
    String counts() {
        return actionLaws.begunAgain() + " " + actionLaws.begunElsewhere();
    }

    BridgeScenario scenario() {
        return scenario;
    }

    /** {@return a digest that is equal for equal runs} */
    String digest() {
        return simulation.trace().digest();
    }

    /** {@return the last events} */
    String tail() {
        return simulation.trace().tail();
    }

    @Override
    public void close() {
        isClosed = true;
        simulation.close();
    }
}
