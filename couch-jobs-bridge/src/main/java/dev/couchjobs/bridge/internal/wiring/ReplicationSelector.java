package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.bridge.internal.document.NodeDirectory;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which documents concern a node: those that were made on it, those with a step that it may run, and all deletions, for
 * those of people say nothing any more. It is chosen by what never changes in a document, because a revision that did
 * not match would never arrive.
 */
final class ReplicationSelector {
    private ReplicationSelector() {}

    /** {@return the selector, as {@code _find} and {@code _replicator} take it} */
    static ObjectNode of(String node, NodeDirectory cluster) {
        Set<String> names = new TreeSet<>(Set.of(node, "any", "all"));
        cluster.groups().forEach((group, nodes) -> {
            if (nodes.contains(node)) {
                names.add(group);
            }
        });
        ObjectNode selector = JsonNodeFactory.instance.objectNode();
        ArrayNode or = selector.putArray("$or");
        or.addObject().put("_deleted", true);
        or.addObject().put("creator", node);
        ArrayNode plain = step(or).putArray("$in");
        ArrayNode inArray = step(or).putObject("$elemMatch").putArray("$in");
        names.forEach(name -> {
            plain.add(name);
            inArray.add(name);
        });
        return selector;
    }

    private static ObjectNode step(ArrayNode or) {
        return or.addObject().putObject("job").putObject("$elemMatch").putObject("target");
    }
}
