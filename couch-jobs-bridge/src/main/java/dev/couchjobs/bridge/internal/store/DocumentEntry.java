package dev.couchjobs.bridge.internal.store;

import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is kept of a document.
 *
 * @param body the document as it is to be in CouchDB, without what is CouchDB's; of a refused one only what is to be
 *     put into it
 * @param home the node whose bridge writes it back, where one does for all
 * @param documentRole what it is to the bridge
 * @param waitsSince for a step that a node here may claim when it has a free worker: its place in that line
 * @param job what was known of the job that a refused document was before; it may become one again
 */
public record DocumentEntry(
        ObjectNode body, String home, DocumentRole documentRole, OptionalLong waitsSince, Optional<ObjectNode> job) {

    /** What a document is to the bridge. */
    public enum DocumentRole {
        /** A job that has not ended. */
        LIVE,
        /** A job that has ended. */
        ENDED,
        /** No job that can be run, and it says so by now. */
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
     * @param verdict what is to be put into it
     * @param before what was kept of it
     */
    public static DocumentEntry refused(ObjectNode verdict, String home, Optional<DocumentEntry> before) {
        return new DocumentEntry(
                verdict, home, DocumentRole.REFUSED, OptionalLong.empty(), before.flatMap(DocumentEntry::knownJob));
    }

    /** {@return the job as it was known last, if the document is or was one and is not deleted} */
    public Optional<ObjectNode> knownJob() {
        return switch (documentRole) {
            case LIVE, ENDED -> Optional.of(body);
            case REFUSED -> job;
            case DELETED -> Optional.empty();
        };
    }

    /** {@return this entry with another body and standing} */
    public DocumentEntry with(ObjectNode body, DocumentRole documentRole) {
        return new DocumentEntry(
                body,
                home,
                documentRole,
                documentRole == DocumentRole.LIVE ? waitsSince : OptionalLong.empty(),
                Optional.empty());
    }

    /** {@return this entry with a place in the line, or without one} */
    public DocumentEntry waiting(OptionalLong since) {
        return new DocumentEntry(body, home, documentRole, since, job);
    }

    /** {@return whether it is a job that has not ended} */
    public boolean isLive() {
        return documentRole == DocumentRole.LIVE;
    }
}
