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
 * A document to write to CouchDB.
 *
 * @param outboxEntry its entry in the outbox
 * @param published its last known state in CouchDB
 * @param body the content; empty if CouchDB has the same, or must not have it
 * @param content the digest of the body
 * @param state the state of the preparation
 */
record PendingWrite(
        OutboxEntry outboxEntry,
        Optional<PublishedState> published,
        Optional<ObjectNode> body,
        String content,
        State state) {

    enum State {
        READY,
        /** The body contains only the fields to add to the document in CouchDB. */
        INCOMPLETE,
        /** CouchDB has another revision. */
        STALE,
        /** The store does not contain the document. */
        UNREADABLE
    }

    /**
     * {@return the write of a document} A document that this node's CouchDB does not contain yet is not created,
     * because it will be replicated from its creator node.
     */
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

    /** {@return this with the complete body} */
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

    /** {@return the content of the store, with the fields of CouchDB from the preceding revision} */
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

    /** {@return the documents to write: the new revision, then the deletions of conflicts} */
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

    /** {@return the state in CouchDB after the write} */
    Optional<PublishedState> after(Optional<String> written) {
        return published.map(last ->
                written.map(revision -> last.followedBy(revision, content)).orElseGet(last::withoutLosers));
    }
}
