package dev.couchjobs.bridge.internal.couch;

import java.util.List;

/**
 * A change of a document.
 *
 * @param id its id
 * @param revisions the revisions of its leaves, the winning one first
 * @param isDeleted whether the winning one is a deletion
 */
public record DocumentChange(String id, List<String> revisions, boolean isDeleted) {
    public DocumentChange {
        revisions = List.copyOf(revisions);
    }
}
