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
 * A document in a change of CouchDB, and what the store contains of it.
 *
 * @param stored the document in CouchDB, with at least one leaf
 * @param entry its entry; empty if the document is treated as new
 * @param refusal its entry if it was refused and is treated as new
 * @param published its stored state in CouchDB
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

    /** {@return this, treated as new} A refused document remains the job that it was before. */
    IncomingDocument anew() {
        return new IncomingDocument(
                stored, Optional.empty(), entry.filter(last -> is(DocumentEntry.DocumentRole.REFUSED)), published);
    }

    /** {@return this, as if the store contained nothing of it} */
    IncomingDocument unknown() {
        return new IncomingDocument(stored, Optional.empty(), Optional.empty(), published);
    }

    String id() {
        return stored.id();
    }

    /** {@return the version that CouchDB shows} */
    Leaf leaf() {
        return stored.leaves().get(0);
    }

    /** {@return the versions that conflict with it} */
    List<Leaf> losers() {
        return stored.leaves().subList(1, stored.leaves().size());
    }

    /** {@return the entry, also if the document is treated as new} */
    Optional<DocumentEntry> last() {
        return entry.or(() -> refusal);
    }

    boolean is(DocumentEntry.DocumentRole documentRole) {
        return entry.filter(kept -> kept.documentRole() == documentRole).isPresent();
    }

    boolean isLive() {
        return is(DocumentEntry.DocumentRole.LIVE);
    }

    /** {@return whether the store knows the version that CouchDB shows} */
    boolean isSeen() {
        return published
                .filter(last -> last.revision().equals(leaf().revision()))
                .isPresent();
    }

    /**
     * {@return whether this node has written a later version since the document was requested}
     *
     * @param asked the stored state at the request
     */
    boolean isStale(Optional<PublishedState> asked) {
        return !published.equals(asked)
                && published
                        .filter(last -> last.generation() > leaf().generation())
                        .isPresent();
    }

    /** {@return the state in which CouchDB has this version and its conflicts are to be deleted} */
    PublishedState seen() {
        return seen(losers().stream().map(Leaf::revision).toList(), false);
    }

    /** {@return the state in which no node but the judging one writes this version} */
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
