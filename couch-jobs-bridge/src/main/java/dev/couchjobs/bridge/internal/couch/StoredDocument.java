package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import java.util.Optional;

/**
 * A document as a database has it.
 *
 * @param id its id
 * @param leaves its current versions: the winning one first, then those that conflict with it and are not deleted; none
 *     if there is no such document and never was
 */
public record StoredDocument(String id, List<Leaf> leaves) {
    /** Keeps a copy of the list. */
    public StoredDocument {
        leaves = List.copyOf(leaves);
    }

    /** {@return the version that the database shows; empty if there is none, or it is a deletion} */
    public Optional<Leaf> current() {
        return leaves.stream().findFirst().filter(leaf -> !leaf.isDeleted());
    }
}
