package dev.couchjobs.bridge.testing;

import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * A leaf of a document with all that led to it, as replication hands it on.
 *
 * @param revisions its own revision, the one before, and so on to the first
 * @param isDeleted whether it is a deletion
 * @param body what is written in it
 */
record Branch(List<String> revisions, boolean isDeleted, ObjectNode body) {
    Branch {
        revisions = List.copyOf(revisions);
    }

    String revision() {
        return revisions.get(0);
    }
}
