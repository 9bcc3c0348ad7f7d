package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bridge.NodeTakenException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Two bridges of one name. */
class OwnershipTest {
    private static final String MARK = "couch-jobs-owner-b";

    private static List<String> thirty() {
        return IntStream.range(0, 30)
                .mapToObj(i -> "{'_id': 'x" + i + "', 'creator': 'a', 'job': [{'target': 'b', 'do': 'x" + i + "'}]}")
                .toList();
    }

    private static List<String> onceBy(String bridge) {
        return IntStream.range(0, 30).mapToObj(i -> bridge + " x" + i).toList();
    }

    private static CompletableFuture<Void> failure(World world, String bridge) {
        return Objects.requireNonNull(world.engines.get(bridge)).failure();
    }

    /** Each has a directory of its own. */
    @Nested
    class WithDirectoriesOfTheirOwn {
        @Test
        void theSecondOnOneDatabaseRunsNothingAndSaysWhatToDo() {
            try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
                world.advance(5);
                world.startTwin("twin", "b", "b");
                world.putAll("a", thirty());
                world.advance(60);

                assertThat(world.done).containsExactlyInAnyOrderElementsOf(onceBy("b"));
                assertThatThrownBy(() -> failure(world, "twin").join())
                        .hasCauseInstanceOf(NodeTakenException.class)
                        .hasMessageContaining("another bridge has the name b: the document " + MARK)
                        .hasMessageContaining("delete revision "
                                + world.at("b").read(MARK).leaves().get(0).revision());
                assertThat(failure(world, "b")).isNotDone();
            }
        }

        @Test
        void ofTwoThatBeginAtOnceOneRuns() {
            try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
                world.startTwin("twin", "b", "b");
                world.putAll("a", thirty());
                world.advance(60);

                assertThat(world.done).hasSize(30);
                assertThat(List.of("b", "twin"))
                        .filteredOn(name -> failure(world, name).isDone())
                        .hasSize(1);
            }
        }

        @Test
        void oneOnAnotherReplicaRunsNothing() {
            try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b", "c")) {
                world.advance(5);
                world.startTwin("twin", "b", "c");
                world.putAll("a", thirty());
                world.advance(60);

                assertThat(world.done).containsExactlyInAnyOrderElementsOf(onceBy("b"));
                assertThat(failure(world, "twin")).isCompletedExceptionally();
            }
        }

        @Test
        void ofTwoThatHaveMarkedReplicasThatWereCutOffOneStops() {
            try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b", "c")) {
                world.cut("c");
                world.startTwin("twin", "b", "c");
                world.advance(5);
                world.couch.join();
                world.advance(5);

                List<String> stopped = List.of("b", "twin").stream()
                        .filter(name -> failure(world, name).isDone())
                        .toList();
                assertThat(stopped).hasSize(1);
                for (String node : List.of("a", "b", "c")) {
                    assertThat(world.at(node).read(MARK).leaves()).hasSize(1);
                }
                world.putAll("a", thirty());
                world.advance(60);
                assertThat(world.done)
                        .containsExactlyInAnyOrderElementsOf(onceBy(stopped.contains("b") ? "twin" : "b"));
            }
        }

        @Test
        void aDirectoryThatWasLostIsRefusedUntilAPersonHasTakenTheMarkAway() {
            try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
                world.advance(5);
                world.loseDirectory("b");
                world.start("b");
                world.putAll("a", thirty());
                world.advance(20);
                assertThat(failure(world, "b")).isCompletedExceptionally();
                assertThat(world.done).isEmpty();

                world.kill("b");
                world.delete("b", MARK);
                world.start("b");
                world.advance(20);
                assertThat(world.done).containsExactlyInAnyOrderElementsOf(onceBy("b"));
            }
        }

        @Test
        void whatRunsIsStoppedWhenAnotherHasTakenOver() {
            try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
                world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'stubborn'}]}");
                world.advance(5);
                world.process("b").pause(Duration.ofSeconds(5));
                world.delete("b", MARK);
                world.startTwin("twin", "b", "b");
                world.advance(30);

                assertThat(failure(world, "b")).isCompletedExceptionally();
                assertThat(world.done).containsExactly("b stubborn", "twin stubborn", "b ended");
            }
        }
    }

    @Test
    void aBridgeThatIsStartedAgainWithItsDirectoryRunsAtOnceAndWritesNoMark() {
        try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
            world.advance(5);
            world.restart("b");
            world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'x'}]}");
            world.advance(1);

            assertThat(world.done).containsExactly("b x");
            assertThat(world.revisions("b", MARK)).isEqualTo(1);
        }
    }

    @Test
    void aBridgeWhoseMarkIsDeletedMarksAgainAndGoesOn() {
        try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
            world.advance(5);
            world.delete("a", MARK);
            world.advance(5);
            world.startTwin("twin", "b", "b");
            world.putAll("a", thirty());
            world.advance(60);

            assertThat(world.done).containsExactlyInAnyOrderElementsOf(onceBy("b"));
        }
    }

    @Test
    void whereTheMarkMayNotBeWrittenTheBridgeRunsWithoutIt() {
        try (World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
            world.at("b")
                    .validate(document -> Optional.of("not you")
                            .filter(why -> document.path("_id").asString().equals(MARK)));
            world.putAll("b", thirty());
            world.advance(60);

            assertThat(world.done).containsExactlyInAnyOrderElementsOf(onceBy("b"));
            assertThat(world.at("b").read(MARK).leaves()).isEmpty();
        }
    }

    @Test
    void severalProcessesOfOneNameThatShareAClusterGoOn() {
        try (World world = World.shared(2, "a", "b")) {
            world.startTwin("twin", "b", "b");
            world.putAll("a", thirty());
            world.advance(60);

            assertThat(world.done).hasSize(30);
            assertThat(failure(world, "b")).isNotDone();
            assertThat(failure(world, "twin")).isNotDone();
        }
    }

    @Test
    void aNodeOfASharedClusterRunsStepsThoughItsOwnCouchDbDoesNotAnswer() {
        try (World world = World.shared(2, "a", "b")) {
            world.advance(1);
            world.kill("b");
            world.couch.crash(world.server("b"), Duration.ofHours(1));
            world.start("b");
            world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'x'}]}");
            world.advance(20);

            assertThat(world.done).containsExactly("b x");
        }
    }
}
