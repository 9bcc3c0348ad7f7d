package dev.couchjobs.bridge.internal.couch;

/** The result of writing a document. */
public sealed interface WriteResult {

    /** {@return the document's id} */
    String id();

    /** The document was written with this revision. */
    record Accepted(String id, String revision) implements WriteResult {}

    /** The given revision is not a leaf; another client has written the document before. */
    record Conflict(String id) implements WriteResult {}

    /** The server refuses the document, for example because it is too large or a validation rejects it. */
    record Refused(String id, String error, String reason) implements WriteResult {}
}
