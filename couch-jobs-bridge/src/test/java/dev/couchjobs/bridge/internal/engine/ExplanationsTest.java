package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a bridge says when it is asked why a document is not being worked on. */
class ExplanationsTest {
    private static World replicated() {
        return World.replicated(Duration.ofMinutes(1), 1, "a", "b");
    }

    static Stream<World> worlds() {
        return Stream.of(World.shared(1, "a", "b"), replicated());
    }

    private static void put(World world, String id, String target, String command) {
        String job = """
                {'_id': '%s', 'creator': 'a', 'job': [
                  {'target': %s, 'do': '%s', 'retry_strategy': {'max_retries': 2, 'sleep': 600}}]}""";
        world.put("a", job.formatted(id, target, command));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aStepWaitsForAFreeWorker(World world) {
        try (world) {
            put(world, "long", "'a'", "sleep 1000");
            put(world, "behind", "'a'", "good");
            world.advance(10);
            assertThat(world.why("a", "long")).startsWith("step 0, for a, runs on this node since 20");
            assertThat(world.why("a", "behind")).isEqualTo("step 0, for a, waits for a free worker: this node has 1");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aStepThatWasBegunWaitsForAFreeWorkerAfterARestart(World world) {
        try (world) {
            put(world, "begun", "'a'", "sleep 1000");
            put(world, "next", "'a'", "sleep 1001");
            world.advance(5);
            world.restart("a");
            world.advance(60);
            assertThat(world.done).containsExactly("a sleep 1000", "a sleep 1001");
            assertThat(world.why("a", "begun"))
                    .isEqualTo("step 0, for a, was begun on this node, and waits for a free worker to go on");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aStepForAnyNodeWaitsForAFreeWorker(World world) {
        try (world) {
            put(world, "long", "'a'", "sleep 1000");
            put(world, "long too", "'b'", "sleep 1000");
            put(world, "behind", "'any'", "good");
            world.advance(10);
            assertThat(world.why("a", "behind")).isEqualTo("step 0, for any, waits for a free worker: this node has 1");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aStepWaitsForItsNextTry(World world) {
        try (world) {
            put(world, "again", "'a'", "fail");
            world.advance(10);
            assertThat(world.why("a", "again"))
                    .matches("step 0, for a, waits for its next try at \\S+Z; it has failed once");
            world.advance(600);
            assertThat(world.why("a", "again")).endsWith("; it has failed 2 times");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aJobHasEnded(World world) {
        try (world) {
            put(world, "done", "'a'", "good");
            put(world, "cancelled", "'a'", "sleep 1000");
            world.advance(10);
            world.put(
                    "a",
                    world.read("a", "cancelled")
                            .put("job_status", "cancelled")
                            .put("reason", "no more")
                            .toString());
            world.advance(10);
            assertThat(world.why("a", "done")).isEqualTo("the job has ended: all steps have succeeded");
            assertThat(world.why("a", "cancelled")).isEqualTo("the job was cancelled: no more");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aDocumentIsNoJobThatCanBeRun(World world) {
        try (world) {
            put(world, "wrong", "'nowhere'", "good");
            world.put("a", "{'_id': 'note', 'text': 'hello'}");
            world.advance(10);
            assertThat(world.why("a", "wrong")).startsWith("the job was refused: job[0].target: ");
            assertThat(world.why("a", "note"))
                    .isEqualTo("it is neither a job nor a work item, so the bridge leaves it alone");
            assertThat(world.why("a", "none")).isEqualTo("CouchDB has no document of this id");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aStepForAllNodesHasNotEndedOnSome(World world) {
        try (world) {
            world.kill("b");
            put(world, "x", "'all'", "good");
            world.advance(10);
            assertThat(world.why("a", "x")).isEqualTo("step 0, for all, has not ended yet on b");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aStepWaitsForAnotherNode(World world) {
        try (world) {
            put(world, "begun", "'b'", "sleep 1000");
            world.advance(10);
            world.kill("b");
            put(world, "open", "'b'", "good");
            world.advance(10);
            assertThat(world.why("a", "begun"))
                    .startsWith("step 0, for b, runs on b since ")
                    .endsWith("if b is down, the step waits for it. Ask the bridge of that node");
            assertThat(world.why("a", "open"))
                    .isEqualTo("step 0, for b, is not for this node. Ask the bridge of a node that it is for");
        }
    }

    @Test
    void aClaimWaitsForTheCreator() {
        try (World world = replicated()) {
            world.advance(1);
            world.kill("a");
            put(world, "x", "'any'", "good");
            world.advance(10);
            assertThat(world.why("b", "x"))
                    .isEqualTo(
                            "step 0, for any, is claimed by b and waits until the bridge of a, where the document was"
                                    + " made, gives it to that node");
        }
    }

    @Test
    void aStepWaitsForTheNodeThatItWasGivenTo() {
        try (World world = replicated()) {
            world.advance(1);
            world.kill("b");
            world.put("a", """
                    {'_id': 'x', 'creator': 'a', 'job': [
                      {'target': 'any', 'do': 'good', 'claimed_by': 'b', 'winner': 'b'}]}""");
            world.advance(10);
            assertThat(world.why("a", "x"))
                    .startsWith("step 0, for any, was given to b, which is not known to have begun");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aWorkItemWaits(World world) {
        try (world) {
            world.put("a", "{'_id': 'later', 'type': 'WorkItem', 'worker': 'email', 'date': '2126-02-01T00:00:00Z'}");
            world.put(
                    "a",
                    "{'_id': 'theirs', 'type': 'WorkItem', 'worker': 'email', 'claimed': true, 'claimed_by': 'jo'}");
            world.put("a", "{'_id': 'other', 'type': 'WorkItem', 'worker': 'scrape'}");
            world.put("a", "{'_id': 'wrong', 'type': 'WorkItem', 'worker': 7}");
            world.advance(10);
            assertThat(world.why("a", "later")).isEqualTo("the work item is due at 2126-02-01T00:00:00Z");
            assertThat(world.why("a", "theirs")).isEqualTo("the work item is claimed by jo");
            assertThat(world.why("a", "other"))
                    .isEqualTo("this node does no work items of the kind scrape; it does: [email]");
            assertThat(world.why("a", "wrong")).startsWith("it cannot be run: worker: ");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aDocumentHasNotComeInYet(World world) {
        try (world) {
            world.advance(1);
            world.isDiskFull = true;
            put(world, "x", "'a'", "good");
            world.isDiskFull = false;
            assertThat(world.why("a", "x")).startsWith("the bridge has not seen the document yet");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void whatIsStoredOfADocumentIsDamaged(World world) {
        try (world) {
            world.spoilLedger("a", "x");
            put(world, "x", "'a'", "good");
            world.advance(10);
            assertThat(world.why("a", "x"))
                    .startsWith("what the bridge has stored of the document is damaged, so the bridge leaves it alone");
            world.mendLedger("a", "x");
            assertThat(world.why("a", "x"))
                    .startsWith("the bridge could not take the document in, and its log says why");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void couchDbRefusesWhatTheBridgeWrites(World world) {
        try (world) {
            world.at("a").validate(document -> Optional.of("not now").filter(why -> document.has("_rev")));
            put(world, "x", "'a'", "good");
            world.advance(10);
            assertThat(world.why("a", "x"))
                    .startsWith("the job has ended: all steps have succeeded. CouchDB refuses what the bridge writes")
                    .matches(".* writes it again at \\S+Z");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void couchDbDoesNotAnswer(World world) {
        try (world) {
            put(world, "long", "'a'", "sleep 1000");
            world.advance(10);
            world.server("a").stop();
            assertThat(world.why("a", "long"))
                    .startsWith(
                            "CouchDB does not answer. As far as the bridge knows, step 0, for a, runs on this node");
            assertThat(world.why("a", "none"))
                    .isEqualTo("CouchDB does not answer. The bridge has not seen the document yet");
        }
    }
}
