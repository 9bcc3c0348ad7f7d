package dev.couchjobs.internal.views;

import dev.couchjobs.JsonCodec;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;

/** The default codec, by Jackson 3. */
public record JacksonCodec(ObjectMapper mapper) implements JsonCodec {
    /**
     * {@inheritDoc}
     *
     * <p>Jackson writes an object in which it sees no properties as one that has none: what is in its fields would be
     * lost. Such an object is refused.
     */
    @Override
    public byte[] write(Object value, Type type) {
        ObjectWriter writer = mapper.writerFor(mapper.constructType(type));
        try {
            return writer.with(SerializationFeature.FAIL_ON_EMPTY_BEANS).writeValueAsBytes(value);
        } catch (InvalidDefinitionException e) {
            byte[] json = writer.writeValueAsBytes(value); // fails if the definition is invalid in another way
            Class<?> empty = e.getType() == null ? Object.class : e.getType().getRawClass();
            if (hasState(empty)) {
                throw new IllegalArgumentException(
                        "class " + empty.getName()
                                + " has fields, but no properties that Jackson sees. Make it a record,"
                                + " give it getters, or annotate its fields with @JsonProperty",
                        e);
            }
            return json;
        }
    }

    private static boolean hasState(Class<?> empty) {
        for (Class<?> declaring = empty; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0 && !field.isSynthetic()) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public Object read(byte[] json, Type type) {
        return mapper.readValue(json, mapper.constructType(type));
    }
}
