package dev.couchjobs.internal.views;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.RawPayload;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Each limit of docs/payloads.md, at the last text within it and at the first beyond it. */
class JsonCheckTest {
    private static String nested(String open, String close, int depth) {
        return open.repeat(depth) + "1" + close.repeat(depth);
    }

    static Stream<String> accepted() {
        return Stream.of(
                nested("[", "]", JsonCheck.DEPTH_MAX),
                nested("{\"a\":", "}", JsonCheck.DEPTH_MAX),
                "9".repeat(JsonCheck.NUMBER_LENGTH_MAX),
                "0." + "3".repeat(JsonCheck.NUMBER_LENGTH_MAX - 2),
                "-1e9999",
                "1E-9999",
                "{\"" + "n".repeat(JsonCheck.NAME_LENGTH_MAX) + "\":1}",
                "\"" + "t".repeat(300_000) + "\"",
                "\"\\uD83D\\ude00 \uD83D\uDE00 \\u0000\"",
                "{\"\\uD83D\\uDE00\":null}",
                " \n[ 1 , 2 ]\t",
                "0.12345678901234567890",
                "null",
                "\"\"");
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void withinTheLimitsATextIsTakenAndReadableAtTheDefaultsOfJackson(String json) {
        assertThat(RawPayload.json(json)).hasToString(json);
        assertThat(RawPayload.json(json.getBytes(UTF_8))).isEqualTo(RawPayload.json(json));
        JsonMapper mapper = new JsonMapper();
        mapper.readTree("{\"items\":[{\"data\":" + json + "}]}");
        mapper.readValue(json, Object.class);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(nested("[", "]", JsonCheck.DEPTH_MAX + 1), "nested deeper than 400 levels"),
                Arguments.of(nested("{\"a\":", "}", 100_000), "nested deeper than 400 levels"),
                Arguments.of("[".repeat(3_000_000), "nested deeper than 400 levels"),
                Arguments.of("9".repeat(JsonCheck.NUMBER_LENGTH_MAX + 1), "a number in it has more than 1,000"),
                Arguments.of("[0." + "3".repeat(JsonCheck.NUMBER_LENGTH_MAX) + "]", "a number in it has more than"),
                Arguments.of("-1e10000", "an exponent beyond 9,999"),
                Arguments.of("[1E-99999999999999999999]", "an exponent beyond 9,999"),
                Arguments.of(
                        "{\"" + "n".repeat(JsonCheck.NAME_LENGTH_MAX + 1) + "\":1}", "a name in it is longer than"),
                Arguments.of("\"\\ud83d\"", "a text in it contains half of a surrogate pair"),
                Arguments.of("[\"\\uDE00\\uD83D\"]", "a text in it contains half of a surrogate pair"),
                Arguments.of("{\"\\uD83Dx\":1}", "surrogate pair"),
                Arguments.of("\"\uD83D\"", "the text contains half of a surrogate pair"),
                Arguments.of("", "it is empty"),
                Arguments.of("  ", "it is empty"),
                Arguments.of("{} {}", "more follows its end"),
                Arguments.of("1 2", "more follows its end"),
                Arguments.of("[1,]", "it is not JSON"),
                Arguments.of("{\"a\":1", "it is not JSON"),
                Arguments.of("NaN", "it is not JSON"),
                Arguments.of("[01]", "it is not JSON"),
                Arguments.of("\"\t\"", "it is not JSON"),
                Arguments.of("{\"a\":1,\"a\":2}", "it is not JSON: Duplicate"),
                Arguments.of("\uFEFF{}", "byte order mark"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void beyondALimitATextIsRefusedWithTheReason(String json, String reason) {
        assertThatThrownBy(() -> RawPayload.json(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"22 C0 AF 22", "22 ED A0 BD 22", "22 E9 22", "22 F8 88 80 80 80 22", "EF", "22 E2 82"})
    void bytesThatAreNoUtf8AreRefused(String hex) {
        byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(hex);

        assertThatThrownBy(() -> RawPayload.json(bytes)).hasMessageContaining("it is not UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"é\"]", "{\"a\":1}"})
    void anotherEncodingIsRefused(String json) {
        assertThatThrownBy(() -> RawPayload.json(json.getBytes(UTF_16))).isInstanceOf(IllegalArgumentException.class);
        assertThat(RawPayload.json(json).toBytes()).isEqualTo(json.getBytes(UTF_8));
        if (json.contains("é")) {
            assertThatThrownBy(() -> RawPayload.json(json.getBytes(ISO_8859_1))).hasMessageContaining("not UTF-8");
        }
    }
}
