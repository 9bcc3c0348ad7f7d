package dev.couchjobs.internal.views;

import dev.couchjobs.RawPayload;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Date;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;

/** Refuses values that Jackson itself writes so that it does not read them as they were. */
final class LossyTypes extends ValueSerializer<Object> {
    private static final String JACKSON = "tools.jackson.";
    private static final String TIMESTAMP = "java.sql.Timestamp";

    private final ValueSerializer<Object> standard;

    private LossyTypes(ValueSerializer<Object> standard) {
        this.standard = standard;
    }

    /** {@return a module that refuses them, unless a module of the user's writes them} */
    static SimpleModule module() {
        return new SimpleModule("couch-jobs-lossy").setSerializerModifier(new ValueSerializerModifier() {
            private static final long serialVersionUID = 1;

            @Override
            @SuppressWarnings("unchecked") // serializers are called with the values that they are for
            public ValueSerializer<?> modifySerializer(
                    SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
                return isLossy(description.getBeanClass())
                                && serializer.getClass().getName().startsWith(JACKSON)
                        ? new LossyTypes((ValueSerializer<Object>) serializer)
                        : serializer;
            }
        });
    }

    private static boolean isLossy(Class<?> type) {
        return type == RawPayload.class
                || BitSet.class.isAssignableFrom(type)
                || Calendar.class.isAssignableFrom(type)
                || type.getName().equals(TIMESTAMP);
    }

    private static Optional<String> loss(Object value) {
        if (value instanceof RawPayload) {
            return Optional.of("RawPayload is a payload by itself, and no part of one. Use JsonNode for JSON,"
                    + " and byte[] for bytes");
        }
        if (value instanceof BitSet) {
            return Optional.of("Jackson does not write the bits of a BitSet. Use the long[] of toLongArray");
        }
        if (value instanceof Calendar calendar) {
            return Optional.of("Jackson does not write the zone of a "
                    + calendar.getClass().getSimpleName() + ". Use a ZonedDateTime");
        }
        // A Timestamp: its module need not be there.
        Instant time = ((Date) value).toInstant();
        return time.equals(time.truncatedTo(ChronoUnit.MILLIS))
                ? Optional.empty()
                : Optional.of("Jackson writes no more than the milliseconds of a Timestamp. Use an Instant");
    }

    private static void check(Object value) {
        loss(value).ifPresent(reason -> {
            throw new IllegalArgumentException(reason);
        });
    }

    @Override
    public ValueSerializer<?> createContextual(SerializationContext context, BeanProperty property) {
        return new LossyTypes(context.handleSecondaryContextualization(standard, property));
    }

    @Override
    public void resolve(SerializationContext context) {
        standard.resolve(context);
    }

    @Override
    public boolean isEmpty(SerializationContext context, Object value) {
        return standard.isEmpty(context, value);
    }

    @Override
    public void serialize(Object value, JsonGenerator out, SerializationContext context) {
        check(value);
        standard.serialize(value, out, context);
    }

    @Override
    public void serializeWithType(
            Object value, JsonGenerator out, SerializationContext context, TypeSerializer typeSerializer) {
        check(value);
        standard.serializeWithType(value, out, context, typeSerializer);
    }
}
