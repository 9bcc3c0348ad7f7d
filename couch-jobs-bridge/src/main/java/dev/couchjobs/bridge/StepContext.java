package dev.couchjobs.bridge;

import dev.couchjobs.PermanentFailureException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a {@link StepHandler} is called for.
 *
 * @param documentId the job document's id
 * @param step the step's index in it, from 0
 * @param node the node that runs the step
 * @param attempt which try this is, from 1
 * @param data what the document has for the handler; JSON null if it has nothing
 */
public record StepContext(String documentId, int step, String node, int attempt, JsonNode data) {

    /**
     * The data as a value of a type.
     *
     * @param <T> the type
     * @param type the type, which Jackson has to know how to read
     * @return the value
     * @throws PermanentFailureException if the data is not such a value: the document will not get better
     */
    public <T> T data(Class<T> type) {
        try {
            return JsonMapper.shared().treeToValue(data, type);
        } catch (JacksonException e) {
            throw new PermanentFailureException(
                    "data: not a " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
        }
    }
}
