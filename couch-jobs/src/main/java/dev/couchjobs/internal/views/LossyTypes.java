package dev.couchjobs.internal.views;

import dev.couchjobs.RawPayload;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;

/**
 * Refuses values, and keys of maps, that Jackson itself writes so that it does not read them as they were. Values of
 * some types it never reads so; what it writes of others, and of keys, is read back at once.
 */
final class LossyTypes extends ValueSerializer<Object> {
    /** An attribute of a writer: the whole payload is declared as a Number, or as several. */
    static final Object NUMBERS = LossyTypes.class;

    private static final String JACKSON = "tools.jackson.";
    private static final int CONTENTS_MAX = 10;

    /** Why a value was read back as another one. By names, because the modules of some need not be there. */
    private static final Map<String, String> READ_BACK = Map.of(
            "java.sql.Timestamp", "Jackson writes no more than the milliseconds of a Timestamp. Use an Instant",
            "java.sql.Time", "Jackson writes no more than the hour, minute and second of a Time. Use a LocalTime",
            "java.util.TimeZone", "Jackson writes no more than the id of a TimeZone. Use a ZoneId",
            "javax.xml.datatype.XMLGregorianCalendar",
                    "Jackson reads each XMLGregorianCalendar as a time with a zone. Use the types of java.time",
            "java.util.regex.Pattern", "Jackson does not write the flags of a Pattern. Use the flags in its text",
            "java.io.File", "Jackson writes the absolute path of a File. Use its text",
            "java.nio.file.Path", "Jackson writes the absolute path of a Path. Use its text",
            "java.net.InetSocketAddress",
                    "Jackson reads each InetSocketAddress as one that is not resolved. Use its host and its port");

    /** Keys that Jackson reads as they were. */
    private static final Set<Class<?>> EXACT_KEYS =
            Set.of(String.class, Integer.class, Long.class, Short.class, Byte.class, Character.class, UUID.class);

    private final ValueSerializer<Object> standard;
    private final Check check;
    private final @Nullable BeanProperty property;

    private LossyTypes(ValueSerializer<Object> standard, Check check, @Nullable BeanProperty property) {
        this.standard = standard;
        this.check = check;
        this.property = property;
    }

    /** Refuses a value. */
    @FunctionalInterface
    private interface Check {
        /** {@return why the value is refused, or null} */
        @Nullable String loss(Object value, LossyTypes writer, SerializationContext context);
    }

    /**
     * {@return a module that refuses them, unless a module of the user's writes them}
     *
     * @param reader reads what was written
     */
    static SimpleModule module(ObjectMapper reader) {
        return new SimpleModule("couch-jobs-lossy").setSerializerModifier(new ValueSerializerModifier() {
            private static final long serialVersionUID = 1;

            @Override
            public ValueSerializer<?> modifySerializer(
                    SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
                Check check = isOfJackson(serializer) ? check(description.getBeanClass(), reader) : null;
                return check == null ? serializer : checked(serializer, check);
            }

            @Override
            public ValueSerializer<?> modifyKeySerializer(
                    SerializationConfig config,
                    JavaType type,
                    BeanDescription.Supplier description,
                    ValueSerializer<?> serializer) {
                // Of an undeclared type all keys are read as texts, as of an undeclared type of numbers.
                boolean isExact = EXACT_KEYS.contains(type.getRawClass()) || type.isJavaLangObject();
                return isExact || type.isEnumType() || type.isPrimitive()
                        ? serializer
                        : checked(serializer, keyCheck(type, reader, isOfJackson(serializer)));
            }
        });
    }

    private static boolean isOfJackson(ValueSerializer<?> serializer) {
        return serializer.getClass().getName().startsWith(JACKSON);
    }

    @SuppressWarnings("unchecked") // serializers are called with the values that they are for
    private static ValueSerializer<?> checked(ValueSerializer<?> serializer, Check check) {
        return new LossyTypes((ValueSerializer<Object>) serializer, check, null);
    }

    // Values

    private static @Nullable Check check(Class<?> type, ObjectMapper reader) {
        if (type == RawPayload.class) {
            return always("RawPayload is a payload by itself, and no part of one. Use JsonNode for JSON,"
                    + " and byte[] for bytes");
        }
        if (BitSet.class.isAssignableFrom(type)) {
            return always("Jackson does not write the bits of a BitSet. Use the long[] of toLongArray");
        }
        if (Calendar.class.isAssignableFrom(type)) {
            return always("Jackson does not write the zone of a " + type.getSimpleName() + ". Use a ZonedDateTime");
        }
        if (Throwable.class.isAssignableFrom(type)) {
            return always("Jackson does not write the class of a " + type.getSimpleName() + ". Use its text");
        }
        if (type == BigDecimal.class) {
            return (value, writer, context) -> writer.isDeclaredAsNumber(context)
                            && !isSame(value, writer.readBack(value, Number.class, reader, context))
                    ? "Jackson reads a Number as a Double, which rounds this BigDecimal. Declare a BigDecimal"
                    : null;
        }
        Class<?> named = named(type);
        String reason = named == null ? null : READ_BACK.get(named.getName());
        return named == null
                ? null
                : (value, writer, context) ->
                        isSame(value, writer.readBack(value, named, reader, context)) ? null : reason;
    }

    private static Check always(String reason) {
        return (value, writer, context) -> reason;
    }

    /** {@return the type itself, or what it extends or implements, that is read back} */
    private static @Nullable Class<?> named(Class<?> type) {
        Deque<Class<?>> rest = new ArrayDeque<>();
        rest.add(type);
        while (!rest.isEmpty()) {
            Class<?> each = rest.remove();
            if (READ_BACK.containsKey(each.getName())) {
                return each;
            }
            if (each.getSuperclass() != null) {
                rest.add(each.getSuperclass());
            }
            rest.addAll(Set.of(each.getInterfaces()));
        }
        return null;
    }

    private @Nullable Object readBack(Object value, Class<?> as, ObjectMapper reader, SerializationContext context) {
        StringWriter json = new StringWriter();
        try (JsonGenerator out = reader.createGenerator(json)) {
            standard.serialize(value, out, context);
        }
        try {
            return reader.readValue(json.toString(), as);
        } catch (JacksonException e) { // another value, too
            return null;
        }
    }

    private static boolean isSame(Object value, @Nullable Object read) {
        if (value instanceof BigDecimal exact && read != null) {
            return new BigDecimal(read.toString()).compareTo(exact) == 0;
        }
        if (value instanceof Pattern one && read instanceof Pattern other) {
            return one.flags() == other.flags() && one.pattern().equals(other.pattern());
        }
        return value.equals(read);
    }

    /** {@return whether the value stands where a Number is declared, perhaps as one of several} */
    private boolean isDeclaredAsNumber(SerializationContext context) {
        return property == null ? context.getAttribute(NUMBERS) != null : declaresNumber(property.getType());
    }

    /** {@return whether a type is Number, or that of several Numbers} */
    static boolean declaresNumber(JavaType type) {
        JavaType declared = type;
        // Bounded, because a type may be its own content.
        for (int depth = 0; declared != null && depth < CONTENTS_MAX; depth++) {
            if (declared.hasRawClass(Number.class)) {
                return true;
            }
            declared = declared.getContentType();
        }
        return false;
    }

    // Keys

    private static Check keyCheck(JavaType type, ObjectMapper reader, boolean isEqualityExpected) {
        return (key, writer, context) -> {
            StringWriter json = new StringWriter();
            try (JsonGenerator out = reader.createGenerator(json)) {
                out.writeStartObject();
                writer.standard.serialize(key, out, context);
                out.writeNull();
                out.writeEndObject();
            }
            String of = "a " + type.getRawClass().getSimpleName() + " that is the key of a map";
            try {
                Map<?, ?> read = reader.readValue(
                        json.toString(),
                        reader.getTypeFactory()
                                .constructMapType(LinkedHashMap.class, type, reader.constructType(Object.class)));
                return isEqualityExpected && !read.containsKey(key)
                        ? "Jackson reads " + of + " as another one. Use a text that says the same"
                        : null;
            } catch (JacksonException e) {
                return "Jackson cannot read " + of + ". Use a text, or a list of entries";
            }
        };
    }

    // The serializer

    private void check(Object value, SerializationContext context) {
        String reason = check.loss(value, this, context);
        if (reason != null) {
            throw new IllegalArgumentException(reason);
        }
    }

    @Override
    public ValueSerializer<?> createContextual(SerializationContext context, BeanProperty of) {
        return new LossyTypes(context.handleSecondaryContextualization(standard, of), check, of);
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
        check(value, context);
        standard.serialize(value, out, context);
    }

    @Override
    public void serializeWithType(
            Object value, JsonGenerator out, SerializationContext context, TypeSerializer typeSerializer) {
        check(value, context);
        standard.serializeWithType(value, out, context, typeSerializer);
    }
}
