package dev.couchjobs.bridge.testing;

import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * A leaf of a document with its history, as replication transfers it.
 *
 * @param revisions its own revision and all before it, the first one last
 * @param isDeleted whether it is a deletion
 * @param body its content
 */
record Branch(List<String> revisions, boolean isDeleted, ObjectNode body) {
    Branch {
        revisions = List.copyOf(revisions);
    }

    String revision() {
        return revisions.get(0);
    }
}
