package dev.couchjobs.bridge;

import dev.couchjobs.PermanentFailureException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The step for which a {@link StepHandler} is called.
 *
 * @param documentId the job document's id
 * @param step the step's index in it, from 0
 * @param node the node that runs the step
 * @param attempt the number of the try, from 1
 * @param data the data for the handler in the document; JSON null if there is none
 */
public record StepContext(String documentId, int step, String node, int attempt, JsonNode data) {

    /**
     * Converts the data to a type.
     *
     * @param <T> the type
     * @param type the class, which Jackson has to be able to read
     * @return the value
     * @throws PermanentFailureException if the data is not such a value, because another try would fail, too
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
