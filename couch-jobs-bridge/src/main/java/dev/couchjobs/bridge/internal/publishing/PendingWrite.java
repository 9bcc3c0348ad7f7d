package dev.couchjobs.bridge.internal.publishing;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.DocumentDigests;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.Tombstone;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.store.OutboxEntry;
import dev.couchjobs.bridge.internal.store.PublishedState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * A document on its way to CouchDB.
 *
 * @param outboxEntry why it is
 * @param published what CouchDB has of it
 * @param body what is to be written; empty if CouchDB has the same, or is not to have it
 * @param content a digest of the body
 * @param state what else there is to do
 */
record PendingWrite(
        OutboxEntry outboxEntry,
        Optional<PublishedState> published,
        Optional<ObjectNode> body,
        String content,
        State state) {

    enum State {
        READY,
        /** Its body is only what is to be put into the document that CouchDB has. */
        INCOMPLETE,
        /** CouchDB has another revision by now. */
        STALE,
        /** Nothing is known. */
        UNREADABLE
    }

    /** One that this node's CouchDB does not have yet is not made there: it is on its way from where it was made. */
    static PendingWrite of(OutboxEntry outboxEntry, Optional<DocumentEntry> entry, Optional<PublishedState> published) {
        Optional<DocumentEntry> kept = entry.filter(one -> one.documentRole() != DocumentEntry.DocumentRole.DELETED)
                .filter(one -> published.filter(last -> !last.isInvalid()).isPresent());
        if (kept.filter(one -> one.documentRole() == DocumentEntry.DocumentRole.REFUSED)
                .isPresent()) {
            Optional<ObjectNode> verdict = kept.map(DocumentEntry::body).filter(body -> !body.isEmpty());
            return new PendingWrite(
                    outboxEntry, published, verdict, "", verdict.isPresent() ? State.INCOMPLETE : State.READY);
        }
        return kept.map(one ->
                        new PendingWrite(outboxEntry, published, Optional.empty(), "", State.READY).saying(one.body()))
                .orElseGet(() -> new PendingWrite(outboxEntry, published, Optional.empty(), "", State.READY));
    }

    static PendingWrite unreadable(OutboxEntry outboxEntry) {
        return new PendingWrite(outboxEntry, Optional.empty(), Optional.empty(), "", State.UNREADABLE);
    }

    /** {@return the same with what is to be put into a document put into it} */
    PendingWrite completed(StoredDocument stored) {
        PublishedState last = published.orElseThrow();
        Optional<Leaf> leaf =
                stored.current().filter(current -> current.revision().equals(last.revision()));
        return leaf.map(current -> saying(DocumentWriter.with(current.body(), body.orElseThrow())))
                .orElseGet(() -> new PendingWrite(outboxEntry, published, Optional.empty(), "", State.STALE));
    }

    private PendingWrite saying(ObjectNode whole) {
        PublishedState last = published.orElseThrow();
        String digest = DocumentDigests.of(whole);
        Optional<ObjectNode> next = digest.equals(last.content()) ? Optional.empty() : Optional.of(body(whole, last));
        return new PendingWrite(outboxEntry, published, next, digest, State.READY);
    }

    /** What is the document's own, with what is CouchDB's of the revision that it follows. */
    private static ObjectNode body(ObjectNode kept, PublishedState last) {
        ObjectNode body = kept.deepCopy();
        body.propertyNames().stream()
                .filter(name -> name.startsWith("_") && !name.equals("_id"))
                .toList()
                .forEach(body::remove);
        body.put("_rev", last.revision());
        last.attachments().ifPresent(stubs -> body.set("_attachments", stubs));
        return body;
    }

    String id() {
        return outboxEntry.id();
    }

    /** {@return all that is written for it: first what it says, then that its losers are gone} */
    List<ObjectNode> documents() {
        if (state != State.READY) {
            return List.of();
        }
        List<ObjectNode> documents = new ArrayList<>(body.stream().toList());
        published
                .map(PublishedState::losers)
                .orElse(List.of())
                .forEach(loser -> documents.add(Tombstone.of(id(), loser)));
        return documents;
    }

    /** {@return what CouchDB has now} */
    Optional<PublishedState> after(Optional<String> written) {
        return published.map(last ->
                written.map(revision -> last.followedBy(revision, content)).orElseGet(last::withoutLosers));
    }
}
