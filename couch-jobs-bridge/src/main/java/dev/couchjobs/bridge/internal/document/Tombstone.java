package dev.couchjobs.bridge.internal.document;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The content that deletes a revision. */
public final class Tombstone {
    private Tombstone() {}

    public static ObjectNode of(String id, String revision) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("_id", id)
                .put("_rev", revision)
                .put("_deleted", true);
    }
}
