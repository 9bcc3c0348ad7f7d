package dev.couchjobs.server.internal.cli;

import tools.jackson.databind.JsonNode;

/**
 * What the server has replied.
 *
 * @param text the body as it came
 * @param json the body; missing if there is none
 */
record ApiReply(int status, String text, JsonNode json) {
    /** {@return whether a write that may find nothing to do has done something} */
    boolean hasChanged() {
        return json.path("changed").asBoolean(true);
    }
}
