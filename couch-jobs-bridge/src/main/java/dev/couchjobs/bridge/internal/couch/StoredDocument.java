package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import java.util.Optional;

/**
 * A document in a database.
 *
 * @param id its id
 * @param leaves the winning version, then the conflicting ones that are not deleted; empty if the document has never
 *     existed
 */
public record StoredDocument(String id, List<Leaf> leaves) {
    public StoredDocument {
        leaves = List.copyOf(leaves);
    }

    /** {@return the winning version; empty if there is none, or it is a deletion} */
    public Optional<Leaf> current() {
        return leaves.stream().findFirst().filter(leaf -> !leaf.isDeleted());
    }
}
