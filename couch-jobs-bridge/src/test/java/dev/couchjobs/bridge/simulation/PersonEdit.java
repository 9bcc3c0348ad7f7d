package dev.couchjobs.bridge.simulation;

import java.util.random.RandomGenerator;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a person does to a document. */
enum PersonEdit {
    /** Ends the job. */
    CANCEL,
    /** Ends the job, and calls it failed. */
    GIVE_UP,
    /** Deletes the document. */
    DELETE,
    /** Leaves something that cannot be read. */
    CORRUPT,
    /** Asks for something else. */
    CHANGE,
    /** Saves it as it is. */
    TOUCH,
    /** Saves what the document was in the beginning, over all that has happened since. */
    TURN_BACK;

    /** {@return whether it may make a difference to the job's end} */
    boolean matters() {
        return this != TOUCH && this != TURN_BACK;
    }

    /** {@return the document after it, on the same revision} */
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
            case CHANGE -> next.put("priority", next.path("priority").asInt(0) + 1);
            case TOUCH -> next;
            case TURN_BACK ->
                original.deepCopy().put("_rev", document.path("_rev").asString());
        };
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
