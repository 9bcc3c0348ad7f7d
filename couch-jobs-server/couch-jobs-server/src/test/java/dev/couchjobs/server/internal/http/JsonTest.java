package dev.couchjobs.server.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** JSON over HTTP is UTF-8. */
class JsonTest {
    private static final String TEXT = "{\"a\": \"\u00fcber \ud83d\ude00\"}";

    private static byte[] withBytes(String hex) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes("{\"a\": \"".getBytes(StandardCharsets.UTF_8));
        body.writeBytes(HexFormat.of().parseHex(hex));
        body.writeBytes("\"}".getBytes(StandardCharsets.UTF_8));
        return body.toByteArray();
    }

    private static void assertRefused(String what, byte[] body) {
        assertThatThrownBy(() -> Json.read(body))
                .as(what)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().status()).isEqualTo(400));
    }

    @Test
    void otherEncodingsAreRefused() {
        for (String name : List.of(
                "UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32", "UTF-32BE", "UTF-32LE", "ISO-8859-1", "windows-1252")) {
            assertRefused(name, TEXT.getBytes(Charset.forName(name)));
        }
        for (String name : List.of("UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE")) {
            for (String text : List.of("1", "12", "{}", "[]", "\"a\"", "true")) {
                assertRefused(name + " " + text, text.getBytes(Charset.forName(name)));
                assertRefused(name + " \ufeff" + text, ("\ufeff" + text).getBytes(Charset.forName(name)));
            }
        }
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() {
        List<String> sequences = List.of(
                "c0af",
                "c080",
                "c1bf",
                "e08080",
                "e080af",
                "e09fbf",
                "f0808080",
                "f08fbfbf",
                "f8888080af",
                "fc8080808080",
                "eda080",
                "edbfbf",
                "eda0bdedb880",
                "f4908080",
                "f7bfbfbf",
                "80",
                "bf",
                "c3",
                "e282",
                "f09f98",
                "c328",
                "e28228",
                "f0288cbc",
                "fe",
                "ff",
                "00");
        for (String sequence : sequences) {
            assertRefused(sequence, withBytes(sequence));
            assertRefused("long " + sequence, withBytes("61".repeat(8_190) + sequence + "62"));
        }
    }

    @Test
    void whateverUtf8HasIsRead() {
        for (String hex :
                List.of("c3bc", "e282ac", "f09f9880", "efbfbd", "efbfbf", "f48fbfbf", "e280ae", "7f", "ee8080")) {
            for (int before : new int[] {0, 8_185, 8_186, 8_187, 8_188, 8_189, 8_190}) {
                byte[] body = withBytes("61".repeat(before) + hex);
                assertThat(Json.read(body).get("a").stringValue())
                        .isEqualTo(
                                "a".repeat(before) + new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8));
            }
        }
        assertThat(Json.read("\"\\u0000\"".getBytes(StandardCharsets.UTF_8)).stringValue())
                .isEqualTo("\0");
    }

    @Test
    void aByteOrderMarkIsPassedOver() {
        assertThat(Json.read(("\ufeff" + TEXT).getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(Json.read(TEXT.getBytes(StandardCharsets.UTF_8)));
    }
}
