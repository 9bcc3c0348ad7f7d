package dev.couchjobs.internal.views;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RFC page 022: one form for all texts that mean the same, and another one for each other text. */
class CanonicalJsonTest {
    static Stream<List<String>> spellings() {
        return Stream.of(
                List.of("1", "1.0", "1e0", "1.000", "10e-1", "0.1E+1", " 1 "),
                List.of("0", "-0", "0.0", "-0e7", "0e-9999"),
                List.of("100", "1e2", "1.00E2", "100.0"),
                List.of("-12345678901234567890.5", "-1234567890123456789050e-2"),
                List.of("9007199254740993", "9007199254740993.0"),
                List.of("9007199254740992"),
                List.of("0.1"),
                List.of("0.1000000000000000055511151231257827"),
                List.of("1e400", "10E+399"),
                List.of("{\"a\":1,\"b\":2}", "{ \"b\" : 2.0,\n\"a\":1e0}", "{\"\\u0061\":1,\"b\":2}"),
                List.of("{\"a\":{\"y\":[],\"x\":{}}}", "{\"a\":{\"x\":{},\"y\":[]}}"),
                List.of("{\"a\":null}"),
                List.of("{}"),
                List.of("[]"),
                List.of("[1,2]"),
                List.of("[2,1]"),
                List.of("\"1\"", "\"\\u0031\""),
                List.of("\"\\\"\"", "\"\\u0022\""),
                List.of("\"/\"", "\"\\/\""),
                List.of("\"\\\\\"", "\"\\u005c\""),
                List.of("[\"a\",\"b\"]"),
                List.of("[\"a\\\",\\\"b\"]"),
                List.of("\"\\ud83d\\ude00\"", "\"\uD83D\uDE00\""),
                List.of("true"),
                List.of("\"true\""),
                List.of("null"));
    }

    private static String form(String json) {
        return new String(CanonicalJson.of(json.getBytes(UTF_8)), UTF_8);
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void theSameValueHasOneForm(List<String> spellings) {
        assertThat(spellings).extracting(CanonicalJsonTest::form).containsOnly(form(spellings.get(0)));
    }

    @Test
    void otherValuesHaveOtherForms() {
        assertThat(spellings().map(one -> form(one.get(0))).toList()).doesNotHaveDuplicates();
    }

    @Test
    void theFormIsTheOneOfTheRfc() {
        assertThat(form("{\"b\":[1.50,true,\"x\"],\"a\":0}")).isEqualTo("{\"a\":0e0,\"b\":[15e-1,true,\"x\"]}");
    }
}
