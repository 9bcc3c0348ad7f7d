package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.bridge.internal.document.NodeDirectory;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Selects the documents that concern a node: those that were created on it, those with a step that it may run, and all
 * deletions, because deletions by people have no other fields. The selector uses only fields that never change, because
 * a revision that did not match would never arrive.
 */
final class ReplicationSelector {
    private ReplicationSelector() {}

    /** {@return the selector, in the form of {@code _find} and {@code _replicator}} */
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
