package dev.couchjobs.server.internal.json;

import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.http.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * An object of JSON as the API writes it: times as in RFC 3339, durations as in ISO 8601, constants in small letters,
 * and nothing for what is absent.
 */
public final class Fields {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final ObjectNode node = JSON.objectNode();

    public Fields put(String name, String value) {
        node.put(name, value);
        return this;
    }

    public Fields put(String name, long value) {
        node.put(name, value);
        return this;
    }

    public Fields put(String name, double value) {
        node.put(name, value);
        return this;
    }

    public Fields put(String name, boolean value) {
        node.put(name, value);
        return this;
    }

    public Fields put(String name, JsonNode value) {
        node.set(name, value);
        return this;
    }

    public Fields put(String name, Enum<?> value) {
        return put(name, constant(value));
    }

    public Fields put(String name, Instant value) {
        return put(name, value.toString());
    }

    public Fields put(String name, Duration value) {
        return put(name, value.toString());
    }

    public Fields put(String name, OptionalInt value) {
        value.ifPresent(number -> node.put(name, number));
        return this;
    }

    public Fields put(String name, Collection<String> values) {
        ArrayNode array = JSON.arrayNode();
        values.forEach(array::add);
        return put(name, array);
    }

    public Fields put(String name, Map<String, String> values) {
        ObjectNode object = JSON.objectNode();
        values.forEach(object::put);
        return put(name, object);
    }

    /** Puts JSON as it is, and other bytes in Base64 under the name with a suffix, beside their media type. */
    public Fields put(String name, RawPayload payload) {
        return payload.isJson()
                ? put(name, Json.of(payload))
                : put(name + "MediaType", payload.mediaType())
                        .put(name + "Bytes", Base64.getEncoder().encodeToString(payload.toBytes()));
    }

    public <T> Fields putAll(
            String name, Collection<? extends T> values, Function<? super T, ? extends JsonNode> toJson) {
        ArrayNode array = JSON.arrayNode();
        values.forEach(value -> array.add(toJson.apply(value)));
        return put(name, array);
    }

    public Fields text(String name, Optional<String> value) {
        value.ifPresent(text -> node.put(name, text));
        return this;
    }

    public Fields time(String name, Optional<Instant> value) {
        value.ifPresent(time -> put(name, time));
        return this;
    }

    public Fields duration(String name, Optional<Duration> value) {
        value.ifPresent(time -> put(name, time));
        return this;
    }

    public <T> Fields maybe(String name, Optional<T> value, Function<? super T, ? extends JsonNode> toJson) {
        value.ifPresent(present -> node.set(name, toJson.apply(present)));
        return this;
    }

    public ObjectNode node() {
        return node;
    }

    /** {@return a constant as the API writes it} */
    public static String constant(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** {@return the constant that the API writes so; the document lists those that there are} */
    public static <E extends Enum<E>> E constant(Class<E> type, String text) {
        return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
    }
}
