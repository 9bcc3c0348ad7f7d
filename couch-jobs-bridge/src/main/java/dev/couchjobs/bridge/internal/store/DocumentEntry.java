package dev.couchjobs.bridge.internal.store;

import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The entry of a document in the store.
 *
 * @param body the intended content in CouchDB, without CouchDB's own fields; of a refused document only the fields to
 *     add
 * @param home the creator node, which writes the document if nodes share a database
 * @param documentRole the role of the document
 * @param waitsSince when the document entered the queue for a worker slot of this node; empty if it is not in the queue
 * @param job the job that a refused document contained before; it may become valid again
 */
public record DocumentEntry(
        ObjectNode body, String home, DocumentRole documentRole, OptionalLong waitsSince, Optional<ObjectNode> job) {

    /** The role of a document. */
    public enum DocumentRole {
        /** A job that has not ended. */
        LIVE,
        /** A job that has ended. */
        ENDED,
        /** A document that cannot be run. */
        REFUSED,
        /** Deleted in CouchDB. */
        DELETED
    }

    /** {@return a live job's entry} */
    public static DocumentEntry live(ObjectNode body, String home) {
        return new DocumentEntry(body, home, DocumentRole.LIVE, OptionalLong.empty(), Optional.empty());
    }

    /**
     * {@return the entry of a document that cannot be run}
     *
     * @param verdict the fields to add to it
     * @param before its previous entry
     */
    public static DocumentEntry refused(ObjectNode verdict, String home, Optional<DocumentEntry> before) {
        return new DocumentEntry(
                verdict, home, DocumentRole.REFUSED, OptionalLong.empty(), before.flatMap(DocumentEntry::knownJob));
    }

    /** {@return the last known job of a document; empty if it never was one, or is deleted} */
    public Optional<ObjectNode> knownJob() {
        return switch (documentRole) {
            case LIVE, ENDED -> Optional.of(body);
            case REFUSED -> job;
            case DELETED -> Optional.empty();
        };
    }

    /** {@return this entry with another body and role} */
    public DocumentEntry with(ObjectNode body, DocumentRole documentRole) {
        return new DocumentEntry(
                body,
                home,
                documentRole,
                documentRole == DocumentRole.LIVE ? waitsSince : OptionalLong.empty(),
                Optional.empty());
    }

    /** {@return this entry with the priority as another version of the document has it} */
    public DocumentEntry prioritised(ObjectNode version) {
        ObjectNode changed = body.deepCopy();
        JsonNode priority = version.path("priority");
        if (priority.isMissingNode()) {
            changed.remove("priority");
        } else {
            changed.set("priority", priority);
        }
        return new DocumentEntry(changed, home, documentRole, waitsSince, job);
    }

    /** {@return this entry with another place in the queue, or none} */
    public DocumentEntry waiting(OptionalLong since) {
        return new DocumentEntry(body, home, documentRole, since, job);
    }

    /** {@return whether it is a job that has not ended} */
    public boolean isLive() {
        return documentRole == DocumentRole.LIVE;
    }
}
