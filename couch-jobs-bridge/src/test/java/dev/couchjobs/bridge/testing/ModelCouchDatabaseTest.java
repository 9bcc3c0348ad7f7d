package dev.couchjobs.bridge.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.couchjobs.bridge.internal.couch.DocumentChange;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** The model behaves exactly like a server. */
class ModelCouchDatabaseTest {
    private final ModelCouchDatabase database = database("one");
    private final ModelCouchDatabase other = database("other");

    private static ModelCouchDatabase database(String incarnation) {
        return new ModelCouchDatabase(incarnation, new SplittableRandom(1), () -> {});
    }

    private static ObjectNode document(String id, String text) {
        return JsonNodeFactory.instance.objectNode().put("_id", id).put("text", text);
    }

    private static ObjectNode on(String revision, ObjectNode document) {
        return document.put("_rev", revision);
    }

    private static ObjectNode deletion(String id, String revision) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("_id", id)
                .put("_rev", revision)
                .put("_deleted", true);
    }

    private static String accepted(WriteResult result) {
        assertThat(result).isInstanceOf(WriteResult.Accepted.class);
        return ((WriteResult.Accepted) result).revision();
    }

    private static void replicate(ModelCouchDatabase from, ModelCouchDatabase to) {
        for (String id : from.ids()) {
            from.branches(id).forEach(branch -> to.graft(id, branch));
        }
    }

    @Test
    void aDocumentIsReadAsItWasWritten() {
        String revision = accepted(database.write(document("a", "hello")));

        Leaf leaf = database.read("a").current().orElseThrow();
        assertThat(leaf.revision()).isEqualTo(revision).startsWith("1-");
        assertThat(leaf.body().toString())
                .isEqualTo("{\"text\":\"hello\",\"_id\":\"a\",\"_rev\":\"" + revision + "\"}");
        assertThat(database.read("b").leaves()).isEmpty();
    }

    @Test
    void onlyWhoKnowsTheLastRevisionMayWrite() {
        String first = accepted(database.write(document("a", "1")));
        String second = accepted(database.write(on(first, document("a", "2"))));

        assertThat(second).startsWith("2-");
        assertThat(List.of(
                        database.write(document("a", "3")),
                        database.write(on(first, document("a", "3"))),
                        database.write(on(first, document("a", "2"))),
                        database.write(on("7-7", document("a", "3")))))
                .containsOnly(new WriteResult.Conflict("a"));
        assertThat(database.write(on("1-1", document("b", "1")))).isEqualTo(new WriteResult.Conflict("b"));
        assertThat(database.ids()).containsExactly("a");
    }

    @Test
    void theSameEditOfTheSameRevisionHasTheSameRevisionEverywhere() {
        String first = accepted(database.write(document("a", "1")));
        replicate(database, other);

        assertThat(database.write(on(first, document("a", "2")))).isEqualTo(other.write(on(first, document("a", "2"))));
        replicate(other, database);
        assertThat(database.read("a").leaves()).hasSize(1);
    }

    @Test
    void theOrderOfTheFieldsMakesAnotherRevision() {
        ObjectNode one = document("a", "1").put("x", 1).put("y", 2);
        ObjectNode turned = document("a", "1").put("y", 2).put("x", 1);

        assertThat(database.write(one)).isNotEqualTo(other.write(turned));
    }

    @Test
    void ofConflictingLeavesTheLongerHistoryWinsAndThenTheGreaterRevision() {
        String mine = accepted(database.write(document("a", "mine")));
        String yours = accepted(other.write(document("a", "yours")));
        replicate(other, database);

        String greater = mine.compareTo(yours) > 0 ? mine : yours;
        String smaller = greater.equals(mine) ? yours : mine;
        assertThat(database.read("a").leaves()).extracting(Leaf::revision).containsExactly(greater, smaller);

        String longer = accepted(database.write(on(smaller, document("a", "longer"))));
        assertThat(database.read("a").leaves()).extracting(Leaf::revision).containsExactly(longer, greater);
    }

    @Test
    void whatIsNotDeletedWinsOverADeletionWhichIsNotShownBesideIt() {
        String mine = accepted(database.write(document("a", "mine")));
        String yours = accepted(other.write(document("a", "yours")));
        accepted(other.write(deletion("a", yours)));
        replicate(other, database);

        assertThat(database.read("a").leaves()).extracting(Leaf::revision).containsExactly(mine);
        assertThat(database.leaves("a")).hasSize(2);
    }

    @Test
    void aDeletionIsALeafLikeOthersAndADocumentMadeAnewGoesOnFromIt() {
        String first = accepted(database.write(document("a", "1")));
        String deletion = accepted(database.write(deletion("a", first).put("text", "why")));

        Leaf leaf = database.read("a").leaves().get(0);
        assertThat(database.read("a").current()).isEmpty();
        assertThat(leaf.isDeleted()).isTrue();
        assertThat(leaf.body().get("text").asString()).isEqualTo("why");
        assertThat(database.write(deletion("a", deletion))).isInstanceOf(WriteResult.Conflict.class);
        assertThat(database.write(on(deletion, document("a", "2")))).isInstanceOf(WriteResult.Conflict.class);
        assertThat(accepted(database.write(document("a", "2")))).startsWith("3-");
    }

    @Test
    void aDocumentThatIsRefusedLeavesNothingBehind() {
        database.validate(document -> document.has("bad") ? Optional.of("It is bad.") : Optional.empty());

        assertThat(database.write(document("a", "1").put("bad", true)))
                .isEqualTo(new WriteResult.Refused("a", "forbidden", "It is bad."));
        assertThat(database.write(document("_a", "1"))).isInstanceOf(WriteResult.Refused.class);
        assertThat(database.write(document("b", "x".repeat(8_000_000)))).isInstanceOf(WriteResult.Refused.class);
        assertThat(database.ids()).isEmpty();
        assertThat(database.changes(null, 10).rows()).isEmpty();
    }

    @Test
    void aDocumentThatHasChangedOftenIsToldOfOnceAsItIsByThen() {
        String first = accepted(database.write(document("a", "1")));
        accepted(database.write(document("b", "1")));
        String second = accepted(database.write(on(first, document("a", "2"))));

        Changes changes = database.changes(null, 10);
        assertThat(changes.rows()).hasSize(2).contains(new DocumentChange("a", List.of(second), false));
        assertThat(database.changes(changes.position(), 10).rows()).isEmpty();
    }

    @Test
    void changesAreReadOnFromWhereOneWas() {
        for (int i = 0; i < 20; i++) {
            accepted(database.write(document("a" + i, "1")));
        }
        Changes some = database.changes(null, 7);
        Changes others = database.changes(ModelPosition.of(some.position().toJson()), 100);

        assertThat(some.rows()).hasSize(7);
        assertThat(others.rows()).hasSize(13).doesNotContainAnyElementsOf(some.rows());
    }

    @Test
    void aPositionInAnotherIncarnationIsTheBeginningAndAnyOtherIsAnError() {
        accepted(database.write(document("a", "1")));
        accepted(other.write(document("b", "1")));

        ModelPosition position = database.changes(null, 10).position();
        assertThat(other.changes(position, 10).rows()).hasSize(1);
        assertThatIllegalArgumentException().isThrownBy(() -> ModelPosition.of(StringNode.valueOf("now")));
    }
}
