package dev.couchjobs.bridge.internal.document;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The kinds of documents. An invalid document has a kind, too. */
public enum DocumentKind {
    /** A job of several steps. */
    JOB,
    /** A {@code WorkItem}. */
    WORK_ITEM,
    /** Not a document of the bridge, which leaves it alone. */
    OTHER;

    static final String WORK_ITEM_TYPE = "WorkItem";

    /**
     * {@return the kind of a document} A job document has no {@code type}. It has a {@code job} that contains objects,
     * or two of the fields that only job documents have; documents of people may have a {@code job}, too.
     *
     * @param document the document, with its id
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
