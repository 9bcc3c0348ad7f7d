package dev.couchjobs.bridge.internal.couch;

import tools.jackson.databind.node.ObjectNode;

/**
 * A version of a document without a successor.
 *
 * @param revision its revision
 * @param isDeleted whether it is a deletion
 * @param body the document, with {@code _id} and {@code _rev}, and without other fields of CouchDB such as {@code
 *     _conflicts}; must not be changed
 */
public record Leaf(String revision, boolean isDeleted, ObjectNode body) {

    /** {@return the number of the revision in its history, from 1} */
    public long generation() {
        return Long.parseLong(revision.substring(0, revision.indexOf('-')));
    }
}
