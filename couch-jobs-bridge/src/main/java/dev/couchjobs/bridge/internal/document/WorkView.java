package dev.couchjobs.bridge.internal.document;

import java.time.Instant;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The view of darticle's work queue: the open items by kind and due time. */
public final class WorkView {
    /** The id of the design document. */
    public static final String DESIGN_ID = "_design/work";

    /** The name of the view. */
    public static final String VIEW = "new";

    /** The same condition as {@link WorkItem#isOpen}, for old JavaScript engines, too. */
    private static final String MAP = """
            function (doc) {
              if (doc.type === 'WorkItem' && !doc.claimed && doc.status !== 'fail') {
                var due = typeof doc.date === 'string' ? Date.parse(doc.date) / 1000 : doc.date;
                emit([doc.worker, due || 0], null);
              }
            }
            """;

    private WorkView() {}

    /** {@return the design document, without a revision} */
    public static ObjectNode design() {
        ObjectNode design = JsonNodeFactory.instance.objectNode();
        design.put("_id", DESIGN_ID);
        design.put("language", "javascript");
        design.putObject("views").putObject(VIEW).put("map", MAP);
        return design;
    }

    /** {@return the view's first key for a kind of work} */
    public static ArrayNode firstKey(String worker) {
        return JsonNodeFactory.instance.arrayNode().add(worker).add(0);
    }

    /** {@return the view's last key for items that are due at a time} */
    public static ArrayNode lastKey(String worker, Instant now) {
        return JsonNodeFactory.instance.arrayNode().add(worker).add(now.getEpochSecond());
    }
}
