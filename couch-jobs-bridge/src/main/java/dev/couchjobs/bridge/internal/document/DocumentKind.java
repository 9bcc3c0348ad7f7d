package dev.couchjobs.bridge.internal.document;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Which documents are whose, right or wrong. */
public enum DocumentKind {
    /** A job in steps. */
    JOB,
    /** A {@code WorkItem}. */
    WORK_ITEM,
    /** Not a job of the bridge: to be left alone. */
    OTHER;

    static final String WORK_ITEM_TYPE = "WorkItem";

    /**
     * {@return what a document is} A job document has no {@code type}, and has a {@code job} with objects in it, or two
     * of the fields by which one is known: people's documents may have a {@code job} too.
     *
     * @param document with its id
     */
    public static DocumentKind of(ObjectNode document) {
        String id = document.path("_id").asString("");
        if (id.startsWith("_") || document.path("_deleted").booleanValue(false)) {
            return OTHER;
        }
        if (document.hasNonNull("type")) {
            return document.path("type").asString("").equals(WORK_ITEM_TYPE) ? WORK_ITEM : OTHER;
        }
        int signs = 0;
        for (String sign : new String[] {"creator", "job", "job_status"}) {
            signs += document.has(sign) ? 1 : 0;
        }
        return signs >= 2 || hasSteps(document.path("job")) ? JOB : OTHER;
    }

    private static boolean hasSteps(JsonNode job) {
        return job.isArray() && job.valueStream().anyMatch(JsonNode::isObject);
    }
}
