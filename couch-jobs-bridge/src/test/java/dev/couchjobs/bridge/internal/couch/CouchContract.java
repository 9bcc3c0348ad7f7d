package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bridge.internal.couch.CouchFixture.Place;
import dev.couchjobs.bridge.internal.couch.Recorder.Call;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The behaviour of databases on which the bridge depends, for real servers and the model. */
public abstract class CouchContract {
    private CouchFixture couch;
    private Place place;
    private CouchDatabase database;

    /** {@return the databases to test} */
    protected abstract CouchFixture fixture();

    @BeforeEach
    final void connect() {
        couch = fixture();
        place = couch.place();
        place.create();
        database = place.connect();
    }

    @AfterEach
    final void close() {
        database.close();
        couch.close();
    }

    private static ObjectNode document(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id).put("text", "hällo");
    }

    private static ObjectNode document(String id, String revision) {
        return document(id).put("_rev", revision);
    }

    private static ObjectNode deletion(String id, String revision) {
        return document(id, revision).put("_deleted", true);
    }

    private String write(CouchDatabase on, ObjectNode document) {
        WriteResult result = couch.await(on.write(List.of(document))).get(0);
        assertThat(result).isInstanceOf(WriteResult.Accepted.class);
        return ((WriteResult.Accepted) result).revision();
    }

    private StoredDocument read(String id) {
        return couch.await(database.read(List.of(id))).get(0);
    }

    @Test
    void aDocumentIsReadAsItWasWritten() {
        String revision = write(database, document("a/b + c?\"é\"").put("number", 1.5));
        Leaf leaf = read("a/b + c?\"é\"").current().orElseThrow();
        assertThat(leaf.revision()).isEqualTo(revision);
        assertThat(leaf.generation()).isEqualTo(1);
        assertThat(leaf.body()).isEqualTo(document("a/b + c?\"é\"", revision).put("number", 1.5));
    }

    @Test
    void aDocumentThatNeverWasHasNoLeaves() {
        assertThat(read("nobody").leaves()).isEmpty();
        assertThat(couch.await(database.read(List.of()))).isEmpty();
    }

    @Test
    void aDocumentIsWrittenOnlyOnTheRevisionThatIsThere() {
        String first = write(database, document("x"));
        String second = write(database, document("x", first).put("text", "second"));
        List<WriteResult> late = couch.await(database.write(List.of(document("x", first), document("x"))));
        assertThat(late).containsExactly(new WriteResult.Conflict("x"), new WriteResult.Conflict("x"));
        assertThat(read("x").current().orElseThrow().revision()).isEqualTo(second);
    }

    @Test
    void ofManyDocumentsEachIsWrittenByItselfAndAnsweredInTurn() {
        String revision = write(database, document("taken"));
        List<WriteResult> results = couch.await(
                database.write(List.of(document("new"), document("taken"), document("_illegal"), document("newer"))));
        assertThat(results).extracting(WriteResult::id).containsExactly("new", "taken", "_illegal", "newer");
        assertThat(results.get(0)).isInstanceOf(WriteResult.Accepted.class);
        assertThat(results.get(1)).isEqualTo(new WriteResult.Conflict("taken"));
        assertThat(results.get(2)).isInstanceOf(WriteResult.Refused.class);
        assertThat(results.get(3)).isInstanceOf(WriteResult.Accepted.class);
        assertThat(read("taken").current().orElseThrow().revision()).isEqualTo(revision);
    }

    @Test
    void aConflictLeavesNoRevisionBesideAnotherEditOfTheDocument() {
        CouchDatabase other = withConflict("x");
        List<String> leaves =
                read("x").leaves().stream().map(Leaf::revision).sorted().toList();
        String edited = write(database, document("x", leaves.get(1)));

        List<WriteResult> results = couch.await(database.write(
                List.of(document("x", leaves.get(1)).put("text", "late"), deletion("x", leaves.get(0)))));

        assertThat(results.get(0)).isEqualTo(new WriteResult.Conflict("x"));
        assertThat(results.get(1)).isInstanceOf(WriteResult.Accepted.class);
        assertThat(read("x").leaves()).extracting(Leaf::revision).containsExactly(edited);
        other.close();
    }

    @Test
    void aThousandDocumentsAreWrittenAndReadInTheirOrder() {
        List<String> ids = IntStream.range(0, 1000).mapToObj(i -> "d" + i).toList();
        List<WriteResult> results = couch.await(
                database.write(ids.stream().map(CouchContract::document).toList()));
        assertThat(results).hasSize(1000).hasOnlyElementsOfType(WriteResult.Accepted.class);
        List<StoredDocument> read = couch.await(database.read(ids));
        assertThat(read).extracting(StoredDocument::id).isEqualTo(ids);
        assertThat(read).allSatisfy(found -> assertThat(found.current()).isPresent());
    }

    @Test
    void aDeletedDocumentShowsItsDeletionAndCanBeWrittenAnew() {
        String first = write(database, document("x"));
        String deletion = write(database, deletion("x", first));
        StoredDocument gone = read("x");
        assertThat(gone.current()).isEmpty();
        assertThat(gone.leaves()).extracting(Leaf::revision).containsExactly(deletion);
        assertThat(gone.leaves().get(0).body()).isEqualTo(deletion("x", deletion));

        String again = write(database, document("x"));
        assertThat(read("x").current().orElseThrow().revision()).isEqualTo(again);
    }

    /** {@return one of two databases that contain the same two versions after replication in both directions} */
    private CouchDatabase withConflict(String id) {
        Place other = couch.place();
        other.create();
        CouchDatabase there = other.connect();
        write(database, document(id).put("text", "here"));
        write(there, document(id).put("text", "there"));
        Recorder here = new Recorder();
        CompletableFuture<List<Call>> both = here.when(calls -> calls.stream()
                .flatMap(call -> call.changes().stream())
                .anyMatch(change -> change.revisions().size() == 2));
        database.follow(null, here);
        couch.replicate(other, place);
        couch.await(both);
        return there;
    }

    @Test
    void versionsThatConflictAreAllReadAndTheLosingOneCanBeTakenAway() {
        CouchDatabase there = withConflict("x");
        List<Leaf> leaves = read("x").leaves();
        assertThat(leaves)
                .extracting(leaf -> leaf.body().path("text").asString())
                .containsExactlyInAnyOrder("here", "there");
        assertThat(leaves.get(0).revision()).isGreaterThan(leaves.get(1).revision());
        assertThat(leaves)
                .allSatisfy(leaf ->
                        assertThat(leaf.body().propertyNames()).containsExactlyInAnyOrder("_id", "_rev", "text"));

        write(database, deletion("x", leaves.get(1).revision()));
        assertThat(read("x").leaves()).containsExactly(leaves.get(0));
        there.close();
    }

    @Test
    void whenTheWinningVersionIsDeletedTheOtherWins() {
        CouchDatabase there = withConflict("x");
        List<Leaf> leaves = read("x").leaves();
        write(database, deletion("x", leaves.get(0).revision()));
        assertThat(read("x").leaves()).containsExactly(leaves.get(1));

        String last = write(database, deletion("x", leaves.get(1).revision()));
        StoredDocument gone = read("x");
        assertThat(gone.current()).isEmpty();
        assertThat(gone.leaves())
                .hasSize(1)
                .allSatisfy(leaf -> assertThat(leaf.isDeleted()).isTrue());
        assertThat(gone.leaves().get(0).generation()).isEqualTo(generation(last));
        there.close();
    }

    private static long generation(String revision) {
        return new Leaf(revision, false, JsonNodeFactory.instance.objectNode()).generation();
    }

    @Test
    void aFeedTellsWhatIsThereAndWhatComes() {
        String first = write(database, document("before"));
        Recorder recorder = new Recorder();
        database.follow(null, recorder);
        couch.await(recorder.told("before"));
        String deleted = write(database, deletion("before", first));
        write(database, document("after"));
        List<Call> calls = couch.await(recorder.told("after")
                .thenCombine(recorder.when(so -> last(so, "before").isDeleted()), (one, other) -> other));
        assertThat(last(calls, "before")).isEqualTo(new DocumentChange("before", List.of(deleted), true));
    }

    private static DocumentChange last(List<Call> calls, String id) {
        return calls.stream()
                .flatMap(call -> call.changes().stream())
                .filter(change -> change.id().equals(id))
                .reduce((earlier, later) -> later)
                .orElse(new DocumentChange(id, List.of(), false));
    }

    @Test
    void aFeedGoesOnFromAPositionAndTellsNothingFromBefore() {
        write(database, document("before"));
        Recorder recorder = new Recorder();
        ChangesFeed feed = database.follow(null, recorder);
        List<Call> calls = couch.await(recorder.told("before"));
        JsonNode position = calls.get(calls.size() - 1).position();
        feed.close();
        Recorder later = new Recorder();
        database.follow(position, later);
        write(database, document("after"));
        assertThat(Recorder.ids(couch.await(later.told("after")))).containsExactly("after");
    }

    @Test
    void aFeedTellsOfManyDocumentsInFewCallsEachAtMostOnceInACall() {
        List<ObjectNode> documents =
                IntStream.range(0, 1000).mapToObj(i -> document("d" + i)).toList();
        couch.await(database.write(documents));
        Recorder recorder = new Recorder();
        database.follow(null, recorder);
        List<Call> calls = couch.await(recorder.when(so -> Recorder.ids(so).size() == 1000));
        assertThat(calls).hasSizeLessThan(1000);
        assertThat(calls)
                .allSatisfy(call -> assertThat(call.changes())
                        .extracting(DocumentChange::id)
                        .doesNotHaveDuplicates());
    }

    @Test
    void whileAListenerIsBusyItIsNotCalledAndThenHearsTheRest() {
        Recorder recorder = new Recorder();
        CompletableFuture<Void> busy = new CompletableFuture<>();
        recorder.answerWith(busy);
        database.follow(null, recorder);
        write(database, document("first"));
        couch.await(recorder.told("first"));
        write(database, document("second"));
        assertThat(recorder.calls()).isEqualTo(1);
        recorder.answerWith(CompletableFuture.completedFuture(null));
        busy.complete(null);
        couch.await(recorder.told("second"));
        assertThat(recorder.wasCalledWhileBusy()).isFalse();
    }

    @Test
    void whatAListenerFailedToDealWithComesAgain() {
        Recorder recorder = new Recorder();
        recorder.answerWith(CompletableFuture.failedFuture(new IllegalStateException("not now")));
        write(database, document("x"));
        database.follow(null, recorder);
        couch.await(recorder.told("x"));
        recorder.answerWith(CompletableFuture.completedFuture(null));
        List<Call> calls = couch.await(recorder.when(so -> so.size() >= 2));
        assertThat(Recorder.ids(calls.subList(1, calls.size()))).contains("x");
    }

    @Test
    void aFeedAndAWriteWaitForADatabaseThatIsCreatedLater() {
        Place later = couch.place();
        CouchDatabase waiting = later.connect();
        Recorder recorder = new Recorder();
        waiting.follow(null, recorder);
        CompletableFuture<List<WriteResult>> result = waiting.write(List.of(document("x")));
        later.create();
        assertThat(couch.await(result)).hasOnlyElementsOfType(WriteResult.Accepted.class);
        assertThat(Recorder.ids(couch.await(recorder.told("x")))).containsExactly("x");
        waiting.close();
    }

    @Test
    void anInterruptionIsSatOut() {
        Recorder recorder = new Recorder();
        database.follow(null, recorder);
        write(database, document("before"));
        couch.await(recorder.told("before"));
        place.interrupt();
        CompletableFuture<List<WriteResult>> result = database.write(List.of(document("after")));
        CompletableFuture<List<StoredDocument>> read = database.read(List.of("before"));
        place.resume();
        couch.await(result);
        assertThat(couch.await(read).get(0).current()).isPresent();
        couch.await(recorder.told("after"));
    }

    @Test
    void aFeedThatIsClosedTellsNothingMore() {
        Recorder closed = new Recorder();
        database.follow(null, closed).close();
        Recorder open = new Recorder();
        database.follow(null, open);
        write(database, document("x"));
        couch.await(open.told("x"));
        assertThat(closed.calls()).isZero();
    }

    @Test
    void whoAsksAfterTheEndIsToldSo() {
        database.close();
        CompletableFuture<List<StoredDocument>> late = database.read(List.of("x"));
        assertThat(late).isDone();
        assertThatThrownBy(late::join).hasRootCauseInstanceOf(IllegalStateException.class);
    }
}
