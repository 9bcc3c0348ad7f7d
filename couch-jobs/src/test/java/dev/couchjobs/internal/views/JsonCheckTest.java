package dev.couchjobs.internal.views;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.couchjobs.RawPayload;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Each limit of docs/payloads.md, at the last text within it and at the first beyond it. */
class JsonCheckTest {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final JacksonCodec JACKSON = new JacksonCodec(MAPPER);

    /** The ways to read a text, which count differently: characters, or bytes. */
    private static final Map<String, Consumer<String>> READERS = Map.of(
            "bytes", json -> MAPPER.readTree(json.getBytes(UTF_8)),
            "a stream", json -> MAPPER.readTree(new ByteArrayInputStream(json.getBytes(UTF_8))),
            "a text", MAPPER::readTree,
            "a reader", json -> MAPPER.readTree(new StringReader(json)),
            "values", json -> MAPPER.readValue(json.getBytes(UTF_8), Object.class),
            "the codec", json -> JACKSON.read(json.getBytes(UTF_8), JsonNode.class),
            "the digest", json -> CanonicalJson.of(json.getBytes(UTF_8)));

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
        READERS.values().forEach(reader -> reader.accept("{\"items\":[{\"data\":" + json + "}]}"));
        MAPPER.readValue(json, Object.class);
    }

    /** {@return spellings of characters of one to four bytes of UTF-8, and their bytes} */
    private static Map<String, Integer> characters() {
        return Map.of(
                "n", 1, "é", 2, "€", 3, "\uD83D\uDE00", 4, "\\n", 1, "\\u00e9", 2, "\\u20AC", 3, "\\uD83D\\uDE00", 4);
    }

    /** Texts about a bound: what one way of counting takes and another does not. */
    static Stream<Arguments> aroundTheBounds() {
        Stream<Arguments> names = characters().entrySet().stream()
                .flatMap(each -> around(JsonCheck.NAME_BYTES_MAX, each.getValue())
                        .map(length -> Arguments.of(
                                "name of " + length + " times " + each.getKey(),
                                "{\"" + each.getKey().repeat(length) + "\":1}",
                                length * each.getValue() <= JsonCheck.NAME_BYTES_MAX)));
        Stream<Arguments> texts = characters().keySet().stream()
                .map(each -> Arguments.of(
                        "text of " + each,
                        "\"" + each.repeat((PayloadCodec.BYTES_MAX - 2) / each.getBytes(UTF_8).length) + "\"",
                        true));
        Stream<Arguments> numbers = Stream.of("", "-", "0.", "-0.", "1e9", "-1.5E-9999")
                .flatMap(beginning -> around(JsonCheck.NUMBER_LENGTH_MAX, 1)
                        .map(length -> Arguments.of(
                                "number of " + length + " characters with " + beginning,
                                number(beginning, length),
                                length <= JsonCheck.NUMBER_LENGTH_MAX)));
        return Stream.of(names, texts, numbers).flatMap(each -> each);
    }

    /** {@return how often a character of some bytes stands in texts about a bound, by bytes and by units} */
    private static Stream<Integer> around(int bound, int bytes) {
        return Stream.of(bound / bytes, bound / bytes + 1, 65_536 / bytes, 65_536 / bytes + 1, bound, bound + 1)
                .distinct();
    }

    private static String number(String form, int length) {
        int exponent = Math.max(form.indexOf('e'), form.indexOf('E'));
        String end = exponent < 0 ? "" : form.substring(exponent);
        String begin = exponent < 0 ? form : form.substring(0, exponent);
        return begin + "3".repeat(length - begin.length() - end.length()) + end;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("aroundTheBounds")
    void whatIsTakenAboutABoundCanBeReadInEveryWay(String name, String json, boolean isTaken) {
        Throwable refusal = catchThrowable(() -> JsonCheck.check(json.getBytes(UTF_8)));

        assertThat(refusal == null).as("%s is taken", name).isEqualTo(isTaken);
        if (isTaken) {
            READERS.forEach((way, reader) -> assertThatCode(() -> reader.accept(json))
                    .as("%s is read as %s", name, way)
                    .doesNotThrowAnyException());
        } else {
            assertThat(refusal)
                    .isInstanceOf(IllegalArgumentException.class)
                    .message()
                    .containsPattern("a name in it is longer than 50,000 bytes in UTF-8|a number in it has more than");
        }
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
