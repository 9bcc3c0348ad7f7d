package dev.couchjobs.bridge.internal.couch;

/** What became of a document that was to be written. */
public sealed interface WriteResult {

    /** {@return the document's id} */
    String id();

    /** It was written, as this revision. */
    record Accepted(String id, String revision) implements WriteResult {}

    /** Its revision was not, or is no longer, a leaf: another client was first. */
    record Conflict(String id) implements WriteResult {}

    /** The server takes no such document, for example because it is too large or a validation refuses it. */
    record Refused(String id, String error, String reason) implements WriteResult {}
}
