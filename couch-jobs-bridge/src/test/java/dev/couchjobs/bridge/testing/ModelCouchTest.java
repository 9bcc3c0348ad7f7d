package dev.couchjobs.bridge.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.DocumentChange;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The guarantees of the model, and its faults when they are enabled. */
class ModelCouchTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final VirtualScheduler time = new VirtualScheduler();

    private ModelCouch couch(CouchFaultWeights weights) {
        return new ModelCouch(time, 7, weights, line -> {});
    }

    private static ObjectNode document(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id).put("text", "hello");
    }

    private static List<String> ids(ModelServer server) {
        return server.database("jobs").ids();
    }

    @Test
    void whatIsWrittenOnOneServerComesToTheOthersUnlessTheyAreCutOff() {
        ModelCouch couch = couch(CouchFaultWeights.none());
        List<ModelServer> servers = List.of(couch.server("a"), couch.server("b"), couch.server("c"));
        servers.forEach(server -> server.database("jobs"));
        couch.replicateAll("jobs", servers);

        couch.cut(Set.of(servers.get(2)));
        CouchDatabase client = couch.connect(servers.get(0), "jobs", time);
        time.await(client.write(List.of(document("x"))));
        time.advance(LONG);
        assertThat(ids(servers.get(1))).containsExactly("x");
        assertThat(ids(servers.get(2))).isEmpty();
        assertThat(couch.isSettled()).isFalse();

        couch.join();
        time.advance(LONG);
        assertThat(ids(servers.get(2))).containsExactly("x");
        assertThat(couch.isSettled()).isTrue();
    }

    @Test
    void aClientWaitsForAServerThatIsDownAndForADatabaseThatIsMadeLater() {
        ModelCouch couch = couch(CouchFaultWeights.none());
        ModelServer server = couch.server("a");
        CouchDatabase client = couch.connect(server, "jobs", time);
        List<DocumentChange> told = new ArrayList<>();
        client.follow(null, (changes, position) -> {
            told.addAll(changes);
            return CompletableFuture.completedFuture(null);
        });
        couch.crash(server, Duration.ofSeconds(30));
        CompletableFuture<List<WriteResult>> result = client.write(List.of(document("x")));

        time.advance(LONG);
        assertThat(result).isNotDone();
        server.database("jobs");
        assertThat(time.await(result)).hasOnlyElementsOfType(WriteResult.Accepted.class);
        time.advance(LONG);
        assertThat(told).extracting(DocumentChange::id).containsExactly("x");
    }

    @Test
    void aWriterWhoseAnswerIsLostMeetsTheConflictThatHeHasMade() {
        ModelCouch couch = couch(CouchFaultWeights.none().with(CouchFault.LOST_REPLY, 1));
        ModelServer server = couch.server("a");
        server.database("jobs");
        CompletableFuture<List<WriteResult>> result =
                couch.connect(server, "jobs", time).write(List.of(document("x")));
        time.advance(LONG);
        assertThat(result).isNotDone();

        couch.calm();
        assertThat(time.await(result)).containsExactly(new WriteResult.Conflict("x"));
        assertThat(ids(server)).containsExactly("x");
    }

    @Test
    void aCallFailsAlthoughItWasDoneOnlyIfThatIsAskedFor() {
        ModelCouch couch =
                couch(CouchFaultWeights.none().with(CouchFault.LOST_REPLY, 1).with(CouchFault.FAILURE, 1));
        ModelServer server = couch.server("a");
        server.database("jobs");
        List<ObjectNode> documents =
                IntStream.range(0, 20).mapToObj(i -> document("x" + i)).toList();

        CompletableFuture<List<WriteResult>> result =
                couch.connect(server, "jobs", time).write(documents);
        assertThatThrownBy(() -> time.await(result)).hasCauseInstanceOf(IOException.class);
        assertThat(ids(server)).isNotEmpty();
    }

    @Test
    void whoChangesWhatHeHasReadChangesNothingInTheDatabase() {
        ModelCouch couch = couch(CouchFaultWeights.none());
        ModelCouchDatabase database = couch.server("a").database("jobs");
        database.write(document("x"));
        CouchDatabase client = couch.connect(couch.server("a"), "jobs", time);

        ObjectNode read =
                time.await(client.read(List.of("x"))).get(0).leaves().get(0).body();
        read.removeAll();
        assertThat(database.read("x").leaves().get(0).body().get("text").asString())
                .isEqualTo("hello");
    }

    @Test
    void aListenerIsToldAgainOfWhatItCouldNotDealWithAndOfNothingElseMeanwhile() {
        ModelCouch couch = couch(CouchFaultWeights.none());
        ModelServer server = couch.server("a");
        server.database("jobs").write(document("x"));
        List<String> told = new ArrayList<>();
        List<CompletableFuture<Void>> answers = List.of(new CompletableFuture<>(), new CompletableFuture<>());
        couch.connect(server, "jobs", time).follow(null, (changes, position) -> {
            told.add(changes.get(0).id());
            return answers.get(told.size() - 1);
        });

        time.advance(LONG);
        server.database("jobs").write(document("y"));
        time.advance(LONG);
        assertThat(told).containsExactly("x");
        answers.get(0).completeExceptionally(new IllegalStateException("not now"));
        time.advance(LONG);
        assertThat(told).containsExactly("x", "x");
    }

    @Test
    void aSelectorLeavesOutDeletionsThatDoNotSayWhatTheyDeleted() {
        ModelCouch couch = couch(CouchFaultWeights.none());
        ModelCouchDatabase source = couch.server("a").database("jobs");
        ModelCouchDatabase target = couch.server("b").database("jobs");
        couch.replicate(
                new Endpoint(couch.server("a"), "jobs"),
                new Endpoint(couch.server("b"), "jobs"),
                body -> body.has("text"));
        source.write(document("x"));
        time.advance(LONG);

        String revision = source.read("x").current().orElseThrow().revision();
        source.write(document("x").put("_rev", revision).put("_deleted", true).without("text"));
        time.advance(LONG);
        assertThat(source.read("x").current()).isEmpty();
        assertThat(target.read("x").current()).isPresent();
    }

    @Test
    void whoAsksThroughAClosedConnectionIsToldSo() {
        ModelCouch couch = couch(CouchFaultWeights.none());
        CouchDatabase client = couch.connect(couch.server("a"), "jobs", time);
        CompletableFuture<?> open = client.read(List.of("x"));
        client.close();

        for (CompletableFuture<?> asked : List.of(open, client.read(List.of("x")))) {
            assertThat(asked).isDone();
            assertThatThrownBy(asked::join).hasCauseInstanceOf(IllegalStateException.class);
        }
    }
}
