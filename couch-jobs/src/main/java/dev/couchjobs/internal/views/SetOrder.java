package dev.couchjobs.internal.views;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;
import tools.jackson.core.type.WritableTypeId;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.util.TokenBuffer;

/**
 * Writes the elements of a set in the order of their canonical JSON, so that equal sets have equal JSON in all JVMs. In
 * what is stored, only a set that has no order of its own is sorted; in what a digest is made of, every set.
 */
final class SetOrder extends ValueSerializer<Set<?>> {
    /** An attribute of a writer: every set is sorted. */
    static final Object ALL = SetOrder.class;

    private static final String IMMUTABLE = "java.util.ImmutableCollections";

    private final ValueSerializer<Object> standard;

    private SetOrder(ValueSerializer<Object> standard) {
        this.standard = standard;
    }

    /** {@return a module that sorts sets} */
    static SimpleModule module() {
        return new SimpleModule("couch-jobs-sets").setSerializerModifier(new ValueSerializerModifier() {
            private static final long serialVersionUID = 1;

            @Override
            @SuppressWarnings("unchecked") // serializers are called with the values that they are for
            public ValueSerializer<?> modifyCollectionSerializer(
                    SerializationConfig config,
                    CollectionType type,
                    BeanDescription.Supplier description,
                    ValueSerializer<?> serializer) {
                return Set.class.isAssignableFrom(type.getRawClass())
                        ? new SetOrder((ValueSerializer<Object>) serializer)
                        : serializer;
            }
        });
    }

    @Override
    public ValueSerializer<?> createContextual(SerializationContext context, BeanProperty property) {
        return new SetOrder(context.handleSecondaryContextualization(standard, property));
    }

    @Override
    public void resolve(SerializationContext context) {
        standard.resolve(context);
    }

    @Override
    public boolean isEmpty(SerializationContext context, Set<?> set) {
        return set.isEmpty();
    }

    @Override
    public void serialize(Set<?> set, JsonGenerator out, SerializationContext context) {
        if (!isSorted(set, context)) {
            standard.serialize(set, out, context);
            return;
        }
        List<JsonNode> elements = sorted(set, context);
        out.writeStartArray();
        elements.forEach(out::writeTree);
        out.writeEndArray();
    }

    @Override
    public void serializeWithType(
            Set<?> set, JsonGenerator out, SerializationContext context, TypeSerializer typeSerializer) {
        if (!isSorted(set, context)) {
            standard.serializeWithType(set, out, context, typeSerializer);
            return;
        }
        List<JsonNode> elements = sorted(set, context);
        WritableTypeId type =
                typeSerializer.writeTypePrefix(out, context, typeSerializer.typeId(set, JsonToken.START_ARRAY));
        elements.forEach(out::writeTree);
        typeSerializer.writeTypeSuffix(out, context, type);
    }

    private static boolean isSorted(Set<?> set, SerializationContext context) {
        return set.size() > 1
                && (context.getAttribute(ALL) != null
                        || set.getClass() == HashSet.class
                        || set.getClass().getName().startsWith(IMMUTABLE));
    }

    private List<JsonNode> sorted(Set<?> set, SerializationContext context) {
        TokenBuffer elements = context.bufferForValueConversion();
        standard.serialize(set, elements, context);
        return CanonicalJson.tree(elements)
                .valueStream()
                .sorted(Comparator.comparing(CanonicalJson::of))
                .toList();
    }
}
