package dev.couchjobs.bridge;

import dev.couchjobs.PermanentFailureException;
import tools.jackson.databind.JsonNode;

/** The step for which a {@link StepHandler} is called. */
public interface StepContext {

    /** {@return the job document's id} */
    String documentId();

    /** {@return the step's index in the document, from 0} */
    int step();

    /** {@return the node that runs the step} */
    String node();

    /** {@return the number of the try, from 1} */
    int attempt();

    /** {@return the data for the handler in the document; JSON null if there is none} */
    JsonNode data();

    /**
     * Converts the data to a type.
     *
     * @param <T> the type
     * @param type the class, which Jackson has to be able to read
     * @return the value
     * @throws PermanentFailureException if the data is not such a value, because another try would fail, too
     */
    <T> T data(Class<T> type);
}
