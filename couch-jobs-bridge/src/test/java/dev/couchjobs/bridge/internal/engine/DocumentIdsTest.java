package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/** Documents with each kind of id that CouchDB takes: they are run, or they say why not, and so does the bridge. */
class DocumentIdsTest {
    private static final List<String> GOOD = List.of(
            "plain",
            " ",
            "a b",
            "/",
            "a/b",
            "../a",
            "%",
            "%2F",
            "%00",
            "a%20b",
            "+",
            "?a=b#c",
            "\\",
            "\"",
            "\uD83D\uDE80",
            "e\u0301",
            "\uFFFF",
            "-_",
            "x".repeat(900));

    private static final List<String> BAD = List.of(
            "\u0000",
            "a\u0000b",
            "bell\u0007",
            "two\nlines",
            "\t",
            "\u007F",
            "\u0085",
            "\u2028",
            "\u2029",
            "half \uD83D",
            "\uDE80 half",
            "x".repeat(901),
            "x".repeat(4_000),
            "\u00FC".repeat(2_000),
            "\u0000".repeat(900));

    /** Ids that only the job of a work item cannot have: that of a step has a number at its end. */
    private static final Set<String> BAD_FOR_ITEMS = Set.of(".", "..");

    static Stream<Arguments> ids() {
        Stream<String> all =
                Stream.of(GOOD, BAD, BAD_FOR_ITEMS, List.of("_design/a")).flatMap(ids -> ids.stream());
        return all.flatMap(id -> Stream.of(false, true)
                .flatMap(isItem -> Stream.of(false, true).map(isShared -> Arguments.of(id, isItem, isShared))));
    }

    private static String document(String id, boolean isItem) {
        String body = isItem
                ? "{'type': 'WorkItem', 'worker': 'email'}"
                : "{'creator': 'a', 'job': [{'target': 'a', 'do': 'good'}]}";
        return TestBridges.json(body).put("_id", id).toString();
    }

    @ParameterizedTest(name = "{index}: item {1}, shared {2}")
    @MethodSource("ids")
    void aDocumentIsRunOrSaysWhyNot(String id, boolean isItem, boolean isShared) {
        try (TestBridges bridges = isShared
                ? TestBridges.shared(2, "a", "b")
                : TestBridges.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
            bridges.putAll("a", List.of(document("good-1", false), document(id, isItem), document("good-2", false)));

            bridges.advance(20);

            assertThat(bridges.read("a", "good-1").path("job_status").asString())
                    .isEqualTo("success");
            assertThat(bridges.read("a", "good-2").path("job_status").asString())
                    .isEqualTo("success");
            boolean isBad = BAD.contains(id) || (isItem && BAD_FOR_ITEMS.contains(id));
            if (isItem && !isBad && !id.startsWith("_")) {
                assertThat(bridges.why("a", id)).isEqualTo("the document is deleted"); // the work is done
                return;
            }
            ObjectNode document = bridges.read("a", id);
            String why = bridges.why("a", id);
            if (id.startsWith("_")) {
                assertThat(document.has("job_status") || document.has("status")).isFalse();
                assertThat(why).contains("leaves it alone");
            } else if (isBad) {
                assertThat(document.path("job_status")
                                .asString(document.path("status").asString("")))
                        .isIn("failed", "fail");
                assertThat(document.path("reason").asString("")).contains("_id: ");
                assertThat(why).contains("_id: ");
            } else {
                assertThat(document.path("reason").asString("")).isEmpty();
                assertThat(document.path("job_status").asString()).isEqualTo("success");
            }
        }
    }
}
