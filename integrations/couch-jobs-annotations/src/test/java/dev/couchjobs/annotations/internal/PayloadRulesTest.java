package dev.couchjobs.annotations.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** Types that Jackson reads are no errors. */
class PayloadRulesTest {
    private static final List<String> TEXTS = List.of("1", "\"UTC\"", "\"AA==\"", "[]", "{\"1\": 2}");

    private final ObjectMapper mapper = new JsonMapper();

    @TempDir
    private Path output;

    static Set<String> readable() {
        return PayloadRules.READABLE;
    }

    @ParameterizedTest
    @MethodSource("readable")
    void jacksonReadsTheTypesThatTheRulesName(String name) throws ClassNotFoundException {
        assertThat(isRead(Class.forName(name))).isTrue();
    }

    private boolean isRead(Class<?> type) {
        return TEXTS.stream().anyMatch(text -> {
            try {
                return mapper.readValue(text, type) != null;
            } catch (JacksonException e) {
                return false;
            }
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.Optional<java.util.Map<String, ? super Integer>>",
                "java.util.List<?>[][]",
                "java.time.DayOfWeek",
                "java.time.Instant",
                "byte[]",
                "long",
                "Object",
                "Part<Part<String>>",
                "Shape",
                "Round",
                "Chosen"
            })
    void aPayloadMayBe(String type) {
        assertThat(Compilation.of(output, """
                                package app;

                                import com.fasterxml.jackson.annotation.JsonTypeInfo;
                                import tools.jackson.databind.annotation.JsonDeserialize;

                                final class Outer {
                                    record Part<T>(T content) {}

                                    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
                                    sealed interface Shape permits Round {}

                                    sealed interface Round extends Shape permits Circle {}

                                    record Circle(int radius) implements Round {}

                                    @JsonDeserialize(as = Choice.class)
                                    abstract static class Chosen {}

                                    static final class Choice extends Chosen {}

                                    @dev.couchjobs.annotations.Job(type = "a")
                                    %1$s run(%1$s data) {
                                        return data;
                                    }
                                }
                                """.formatted(type)).problems()).isEmpty();
    }

    @Test
    void jacksonReadsNoOtherInterface() {
        assertThat(isRead(Runnable.class)).isFalse();
    }
}
