package dev.couchjobs.internal.views;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.TokenBuffer;

/**
 * One form for all JSON texts that mean the same, whatever the order of their names, the spelling of their numbers and
 * characters, and the space between them. RFC page 022 defines it.
 */
final class CanonicalJson {
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(JsonCheck.UNLIMITED)
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private CanonicalJson() {}

    /** {@return the canonical form of a text, in UTF-8} */
    static byte[] of(byte[] json) {
        return of(MAPPER.readTree(json)).getBytes(StandardCharsets.UTF_8);
    }

    /** {@return what was written to a buffer} */
    static JsonNode tree(TokenBuffer buffer) {
        return MAPPER.readTree(buffer.asParser());
    }

    /** {@return the canonical form of a value} */
    static String of(JsonNode value) {
        StringBuilder text = new StringBuilder();
        append(value, text);
        return text.toString();
    }

    private static void append(JsonNode value, StringBuilder text) {
        switch (value.getNodeType()) {
            case OBJECT -> {
                List<String> names = new ArrayList<>(value.propertyNames());
                names.sort(null);
                text.append('{');
                for (int i = 0; i < names.size(); i++) {
                    appendText(names.get(i), text.append(i == 0 ? "" : ","));
                    append(value.get(names.get(i)), text.append(':'));
                }
                text.append('}');
            }
            case ARRAY -> {
                text.append('[');
                for (int i = 0; i < value.size(); i++) {
                    append(value.get(i), text.append(i == 0 ? "" : ","));
                }
                text.append(']');
            }
            case NUMBER -> appendNumber(value.decimalValue(), text);
            case STRING -> appendText(value.stringValue(), text);
            default -> text.append(value); // true, false and null
        }
    }

    /** The digits without zeros at their end, and the power of ten of the last. */
    private static void appendNumber(BigDecimal number, StringBuilder text) {
        BigDecimal shortest = number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
        text.append(shortest.unscaledValue()).append('e').append(-shortest.scale());
    }

    private static void appendText(String characters, StringBuilder text) {
        text.append('"');
        for (int i = 0; i < characters.length(); i++) {
            char character = characters.charAt(i);
            if (character == '"' || character == '\\') {
                text.append('\\');
            }
            text.append(character);
        }
        text.append('"');
    }
}
