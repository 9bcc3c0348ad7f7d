package dev.couchjobs.server.internal.http;

import dev.couchjobs.RawPayload;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.jsontype.TypeSerializer;

/** A payload within a tree: JSON, which is written as it is. */
record HeldPayload(RawPayload payload) implements JacksonSerializable {
    @Override
    public void serialize(JsonGenerator out, SerializationContext context) {
        out.writeRawValue(payload.toString());
    }

    @Override
    public void serializeWithType(JsonGenerator out, SerializationContext context, TypeSerializer type) {
        serialize(out, context);
    }

    @Override
    public String toString() {
        return payload.toString();
    }
}
