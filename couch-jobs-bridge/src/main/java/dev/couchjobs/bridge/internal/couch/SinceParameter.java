package dev.couchjobs.bridge.internal.couch;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The part of a query that says where a feed goes on. */
final class SinceParameter {
    private SinceParameter() {}

    static String parameter(@Nullable JsonNode position) {
        if (position == null || position.isNull()) {
            return "";
        }
        return "&since=" + Address.encoded(position.isString() ? position.asString() : position.toString());
    }
}
