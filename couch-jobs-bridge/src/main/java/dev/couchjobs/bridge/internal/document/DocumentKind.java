package dev.couchjobs.bridge.internal.document;

import java.util.function.Predicate;
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
     * {@return the kind of a document} A job document has a {@code job} that contains objects, or two of the fields
     * that only job documents have; documents of people may have a {@code job}, too. One with a {@code type} is a job
     * document, and refused, if a step has both a {@code target} and a {@code do}.
     *
     * @param document the document, with its id
     */
    public static DocumentKind of(ObjectNode document) {
        String id = document.path("_id").asString("");
        if (id.startsWith("_") || document.path("_deleted").booleanValue(false)) {
            return OTHER;
        }
        if (document.hasNonNull("type")) {
            boolean isWork = document.path("type").asString("").equals(WORK_ITEM_TYPE);
            return isWork ? WORK_ITEM : hasSteps(document, DocumentKind::isPlanned) ? JOB : OTHER;
        }
        int signs = 0;
        for (String sign : new String[] {"creator", "job", "job_status"}) {
            signs += document.has(sign) ? 1 : 0;
        }
        return signs >= 2 || hasSteps(document, JsonNode::isObject) ? JOB : OTHER;
    }

    /** {@return why the bridge leaves a document alone that is of no kind of its own, for people} */
    public static String whyOther(ObjectNode document) {
        return "it is neither a job nor a work item, so the bridge leaves it alone"
                + (document.hasNonNull("type")
                        ? ": its type is not \"" + WORK_ITEM_TYPE + "\", and it has no step with target and do"
                        : "");
    }

    private static boolean hasSteps(ObjectNode document, Predicate<JsonNode> isStep) {
        JsonNode job = document.path("job");
        return job.isArray() && job.valueStream().anyMatch(isStep);
    }

    private static boolean isPlanned(JsonNode step) {
        return step.hasNonNull("target") && step.hasNonNull("do");
    }
}
