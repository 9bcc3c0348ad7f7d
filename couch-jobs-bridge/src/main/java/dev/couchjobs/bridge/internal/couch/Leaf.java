package dev.couchjobs.bridge.internal.couch;

import tools.jackson.databind.node.ObjectNode;

/**
 * A version of a document that no other came after.
 *
 * @param revision its revision
 * @param isDeleted whether it is a deletion
 * @param body the document, with {@code _id} and {@code _rev}, and without what else CouchDB puts in, such as {@code
 *     _conflicts}; not to be changed
 */
public record Leaf(String revision, boolean isDeleted, ObjectNode body) {

    /** {@return how many revisions led to this one, itself included} */
    public long generation() {
        return Long.parseLong(revision.substring(0, revision.indexOf('-')));
    }
}
