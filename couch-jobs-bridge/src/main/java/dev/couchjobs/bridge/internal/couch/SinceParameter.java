package dev.couchjobs.bridge.internal.couch;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The query parameter with the position of a feed. */
final class SinceParameter {
    private SinceParameter() {}

    static String parameter(@Nullable JsonNode position) {
        if (position == null || position.isNull()) {
            return "";
        }
        return "&since=" + Address.encoded(position.isString() ? position.asString() : position.toString());
    }
}
