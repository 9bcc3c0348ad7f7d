package dev.couchjobs.bridge.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.DocumentChange;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writers and readers on several servers, with faults from a seed. {@code -Dsimulation.seed=42} runs only that seed.
 */
class ModelSimulationTest {
    private static final long SEEDS = 200;
    private static final int DOCUMENTS = 4;
    private static final String DATABASE = "jobs";

    @Test
    void whateverGoesWrongNothingThatWasAcceptedIsLostAndAllServersAndReadersComeToTheSame() {
        Long one = Long.getLong("simulation.seed");
        LongStream seeds = one == null ? LongStream.range(0, SEEDS) : LongStream.of(one);
        Set<CouchFault> struck = ConcurrentHashMap.newKeySet();
        seeds.parallel().forEach(seed -> {
            try {
                World world = new World(seed);
                world.run();
                struck.addAll(world.weights.struck());
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "Seed " + seed + " fails; replay it: ./mvnw verify -pl couch-jobs-bridge -am"
                                + " -Dtest=ModelSimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
                                + " -Dsimulation.seed="
                                + seed,
                        e);
            }
        });
        if (one == null) {
            assertThat(struck).containsAll(EnumSet.complementOf(EnumSet.of(CouchFault.FAILURE)));
        }
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        for (long seed = 0; seed < 5; seed++) {
            String digest = new World(seed).run();
            assertThat(new World(seed).run()).isEqualTo(digest);
            assertThat(new World(seed + 1).run()).isNotEqualTo(digest);
        }
    }

    private static final class World {
        private final Simulation simulation;
        private final CouchFaultWeights weights;
        private final ModelCouch couch;
        private final List<ModelServer> servers = new ArrayList<>();
        private final List<Node> nodes = new ArrayList<>();
        private final Map<String, Set<String>> accepted = new TreeMap<>();
        private final List<Throwable> complaints = new ArrayList<>();
        private boolean calm;

        World(long seed) {
            simulation = Simulation.seeded(seed);
            RandomGenerator random = simulation.random();
            weights = CouchFaultWeights.draw(random);
            couch = new ModelCouch(simulation.scheduler(), random.nextLong(), weights, simulation::log);
            for (int i = 0; i < 1 + random.nextInt(3); i++) {
                ModelServer server = couch.server("couch-" + i);
                server.database(DATABASE);
                servers.add(server);
            }
            couch.replicateAll(DATABASE, servers);
            for (int i = 0; i < 4; i++) {
                nodes.add(new Node(simulation.process("node-" + i), servers.get(random.nextInt(servers.size()))));
            }
        }

        String run() {
            try (simulation) {
                nodes.forEach(Node::begin);
                simulation.advance(Duration.ofSeconds(20));
                calm = true;
                simulation.calm();
                couch.calm();
                simulation.advance(Duration.ofMinutes(3));
                check();
                return simulation.trace().digest();
            }
        }

        private void check() {
            assertThat(complaints).isEmpty();
            assertThat(couch.isSettled()).isTrue();
            ModelCouchDatabase first = servers.get(0).database(DATABASE);
            for (ModelServer server : servers) {
                ModelCouchDatabase database = server.database(DATABASE);
                assertThat(database.revisions()).isEqualTo(first.revisions());
                accepted.forEach(
                        (id, revisions) -> assertThat(revisions).allMatch(revision -> database.knows(id, revision)));
            }
            for (Node node : nodes) {
                if (node.process.isAlive()) {
                    assertThat(node.seen).isEqualTo(first.revisions());
                }
            }
        }

        /** Edits documents, and keeps what it has received. */
        private final class Node {
            private final SimulatedProcess process;
            private final RandomGenerator random;
            private final CouchDatabase database;
            private final Map<String, List<String>> seen = new TreeMap<>();
            private @Nullable JsonNode position;

            Node(SimulatedProcess process, ModelServer server) {
                this.process = process;
                this.random = process.random();
                this.database = couch.connect(server, DATABASE, process.scheduler());
            }

            void begin() {
                database.follow(position, this::told);
                turn();
            }

            private CompletableFuture<Void> told(List<DocumentChange> changes, JsonNode behind) {
                if (!calm && random.nextInt(4) == 0) {
                    return CompletableFuture.failedFuture(new IllegalStateException("as planned"));
                }
                changes.forEach(change -> seen.put(change.id(), change.revisions()));
                position = behind;
                return CompletableFuture.completedFuture(null);
            }

            private void turn() {
                if (calm) {
                    return;
                }
                String id = "document-" + random.nextInt(DOCUMENTS);
                var unused = database.read(List.of(id))
                        .thenCompose(read -> database.write(List.of(edited(read.get(0)))))
                        .thenAccept(results -> note(results.get(0)))
                        .whenComplete((done, error) -> {
                            if (error != null) {
                                complaints.add(error);
                            }
                            turnLater();
                        });
            }

            private void turnLater() {
                var unused = process.scheduler().schedule(this::turn, random.nextInt(500), TimeUnit.MILLISECONDS);
            }

            private ObjectNode edited(StoredDocument document) {
                ObjectNode edited = JsonNodeFactory.instance.objectNode().put("_id", document.id());
                List<Leaf> leaves = document.leaves();
                if (document.current().isPresent()) {
                    edited.put("_rev", leaves.get(random.nextInt(leaves.size())).revision());
                }
                if (random.nextInt(4) == 0) {
                    edited.put("_deleted", true);
                }
                return edited.put("number", random.nextInt(3));
            }

            private void note(WriteResult result) {
                process.log(result.toString());
                if (result instanceof WriteResult.Accepted one) {
                    accepted.computeIfAbsent(one.id(), id -> new TreeSet<>()).add(one.revision());
                }
            }
        }
    }
}
