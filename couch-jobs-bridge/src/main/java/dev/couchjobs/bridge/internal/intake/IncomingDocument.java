package dev.couchjobs.bridge.internal.intake;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.DocumentDigests;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.store.PublishedState;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * A document that CouchDB has told of, and what is known of it.
 *
 * @param stored what CouchDB has, which is at least one leaf
 * @param entry what is kept of it, unless it is looked at anew
 * @param refusal what is kept of it if it was refused, and is looked at anew
 * @param published what was known of CouchDB's
 */
record IncomingDocument(
        StoredDocument stored,
        Optional<DocumentEntry> entry,
        Optional<DocumentEntry> refusal,
        Optional<PublishedState> published) {

    static IncomingDocument of(
            StoredDocument stored, Optional<DocumentEntry> entry, Optional<PublishedState> published) {
        return new IncomingDocument(stored, entry, Optional.empty(), published);
    }

    /** This, looked at anew. A refused document is still the same job, if it was one before. */
    IncomingDocument anew() {
        return new IncomingDocument(
                stored, Optional.empty(), entry.filter(last -> is(DocumentEntry.DocumentRole.REFUSED)), published);
    }

    /** This, as if nothing had been kept. */
    IncomingDocument unknown() {
        return new IncomingDocument(stored, Optional.empty(), Optional.empty(), published);
    }

    String id() {
        return stored.id();
    }

    /** The version that CouchDB shows. */
    Leaf leaf() {
        return stored.leaves().get(0);
    }

    /** The versions that conflict with it. */
    List<Leaf> losers() {
        return stored.leaves().subList(1, stored.leaves().size());
    }

    /** {@return what is kept, also if it is looked at anew} */
    Optional<DocumentEntry> last() {
        return entry.or(() -> refusal);
    }

    boolean is(DocumentEntry.DocumentRole documentRole) {
        return entry.filter(kept -> kept.documentRole() == documentRole).isPresent();
    }

    boolean isLive() {
        return is(DocumentEntry.DocumentRole.LIVE);
    }

    /** Whether what CouchDB shows was seen before. */
    boolean isSeen() {
        return published
                .filter(last -> last.revision().equals(leaf().revision()))
                .isPresent();
    }

    /**
     * Whether what was read may be older than what was written since it was asked for.
     *
     * @param asked what was known then
     */
    boolean isStale(Optional<PublishedState> asked) {
        return !published.equals(asked)
                && published
                        .filter(last -> last.generation() > leaf().generation())
                        .isPresent();
    }

    /** {@return that CouchDB has this, and that what conflicts with it is to be deleted} */
    PublishedState seen() {
        return seen(losers().stream().map(Leaf::revision).toList(), false);
    }

    /** {@return that CouchDB has this, and that nothing is to be written on it before its creator has judged it} */
    PublishedState markInvalid() {
        return seen(List.of(), true);
    }

    private PublishedState seen(List<String> losers, boolean isInvalid) {
        Optional<ObjectNode> attachments = leaf().body()
                .optional("_attachments")
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast);
        return new PublishedState(leaf().revision(), DocumentDigests.of(leaf().body()), losers, attachments, isInvalid);
    }
}
