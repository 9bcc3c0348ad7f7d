package dev.couchjobs.internal.views;

import dev.couchjobs.JsonCodec;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;

/** The default codec, by Jackson 3. */
public final class JacksonCodec implements JsonCodec {
    private final ObjectMapper mapper;

    /** Makes a codec that has the settings of a mapper, but for those by which a payload would change on its way. */
    public JacksonCodec(ObjectMapper settings) {
        ObjectMapper exact = settings.rebuild()
                .addModule(SetOrder.module())
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .enable(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
        mapper = exact.rebuild().addModule(LossyTypes.module(exact)).build();
    }

    @Override
    public byte[] write(Object value, Type type) {
        return write(mapper.writer(), value, type);
    }

    /** {@return the JSON of which a digest is made: equal sets have equal JSON} */
    byte[] writeSorted(Object value, Type type) {
        return write(mapper.writer().withAttribute(SetOrder.ALL, true), value, type);
    }

    /**
     * {@return a value as JSON}
     *
     * <p>Jackson writes an object in which it sees no properties as one that has none: what is in its fields would be
     * lost. Such an object is refused.
     */
    private byte[] write(ObjectWriter settings, Object value, Type type) {
        JavaType as = mapper.constructType(type);
        ObjectWriter typed = settings.forType(as);
        ObjectWriter writer = LossyTypes.declaresNumber(as) ? typed.withAttribute(LossyTypes.NUMBERS, true) : typed;
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
