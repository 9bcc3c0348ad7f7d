package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.engine.TestBridges;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class DocumentDigestsTest {
    private static final String DOCUMENT = """
            {'_id': 'a', 'job': [{'do': 'x', 'timeout': 10, 'n': [1.0, 2, 1e400, true, null, '\u00e9\\u0022']}],
             'creator': 'a', '{': {'b': 1, 'a': ''}}""";

    /** With another digest for the same document every node would write all documents again after an upgrade. */
    @Test
    void theDigestOfADocumentIsTheSameInEveryVersion() {
        assertThat(DocumentDigests.of(TestBridges.json(DOCUMENT)))
                .isEqualTo("c0KzWL8yl2w3YD2W8/XmzV1HJcKvMp5O1beAOkY+634");
        ObjectNode odd = TestBridges.json("{}")
                .put("text", "\ud800\u00e9\ud83d\ude00x\n".repeat(5_000)) // longer than any buffer, with half pairs
                .put("n\ud800", "b");
        assertThat(DocumentDigests.of(odd)).isEqualTo("saUk6DaaJzE/6MbTiQPWF/s9VYEvGQ5YxLGhz5iDIN4");
    }

    @Test
    void neitherOrderNorTheFormOfNumbersNorWhatIsCouchDbsOwnMatters() {
        String other = """
                {'_rev': '1-x', '{': {'a': '', 'b': 1.0}, 'creator': 'a',
                 'job': [{'n': [1, 2.0, 1e400, true, null, '\u00e9\\u0022'], 'timeout': 1e1, 'do': 'x'}]}""";
        assertThat(DocumentDigests.of(TestBridges.json(other)))
                .isEqualTo(DocumentDigests.of(TestBridges.json(DOCUMENT)));
        assertThat(DocumentDigests.of(TestBridges.json(DOCUMENT.replace("true", "false"))))
                .isNotEqualTo(DocumentDigests.of(TestBridges.json(DOCUMENT)));
    }
}
