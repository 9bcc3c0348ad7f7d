package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.bridge.StepContext;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * The step of a handler.
 *
 * @param mapper the mapper of the node: it holds the classes that handlers ask for, so it must not outlive the bridge
 */
record HandledStep(String documentId, int step, String node, int attempt, JsonNode data, ObjectMapper mapper)
        implements StepContext {
    @Override
    public <T> T data(Class<T> type) {
        try {
            return mapper.treeToValue(data, type);
        } catch (JacksonException e) {
            throw new PermanentFailureException(
                    "data: not a " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
        }
    }
}
