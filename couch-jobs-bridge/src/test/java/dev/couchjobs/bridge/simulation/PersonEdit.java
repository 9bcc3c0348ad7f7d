package dev.couchjobs.bridge.simulation;

import java.util.random.RandomGenerator;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A change of a document by a person. */
enum PersonEdit {
    /** Cancels the job. */
    CANCEL,
    /** Ends the job as failed. */
    GIVE_UP,
    /** Deletes the document. */
    DELETE,
    /** Makes the document invalid. */
    CORRUPT,
    /** Changes the plan. */
    CHANGE,
    /** Changes the priority. */
    PRIORITISE,
    /** Saves the document unchanged. */
    TOUCH,
    /** Saves the first version of the document over all later ones. */
    TURN_BACK;

    /** {@return whether it may change the end of the job} */
    boolean matters() {
        return this != TOUCH && this != TURN_BACK && this != PRIORITISE;
    }

    /** {@return the changed document, on the same revision} */
    ObjectNode on(ObjectNode document, ObjectNode original, RandomGenerator random) {
        ObjectNode next = document.deepCopy();
        return switch (this) {
            case CANCEL -> next.put("job_status", "cancelled");
            case GIVE_UP -> next.put("job_status", "failed").put("reason", "It takes too long.");
            case DELETE ->
                JsonNodeFactory.instance
                        .objectNode()
                        .put("_id", document.path("_id").asString())
                        .put("_rev", document.path("_rev").asString())
                        .put("_deleted", true);
            case CORRUPT -> corrupt(next, random);
            case CHANGE -> change(next);
            case PRIORITISE -> next.put("priority", random.nextInt(-2, 3));
            case TOUCH -> next;
            case TURN_BACK ->
                original.deepCopy().put("_rev", document.path("_rev").asString());
        };
    }

    private static ObjectNode change(ObjectNode document) {
        if (document.path("job").path(0) instanceof ObjectNode step) {
            step.put("timeout", step.path("timeout").asInt(1_000) + 1);
        }
        return document;
    }

    private static ObjectNode corrupt(ObjectNode document, RandomGenerator random) {
        switch (random.nextInt(4)) {
            case 0 -> document.put("job", "no steps");
            case 1 -> document.remove("creator");
            case 2 -> document.put("step", -1);
            default -> document.put("jobstatus", "cancelled");
        }
        return document;
    }
}
