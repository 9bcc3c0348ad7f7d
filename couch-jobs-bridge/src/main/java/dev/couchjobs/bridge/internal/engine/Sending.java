package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.internal.ledger.Outgoing;
import dev.couchjobs.bridge.internal.ledger.Published;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * A document on its way to CouchDB.
 *
 * @param outgoing why it is
 * @param published what CouchDB has of it
 * @param body what is to be written; empty if CouchDB has the same, or is not to have it
 * @param content a digest of the body
 * @param isReadable whether any of this is known
 */
record Sending(
        Outgoing outgoing,
        Optional<Published> published,
        Optional<ObjectNode> body,
        String content,
        boolean isReadable) {

    /** One that this node's CouchDB does not have yet is not made there: it is on its way from where it was made. */
    static Sending of(Outgoing outgoing, Optional<Entry> entry, Optional<Published> published) {
        Optional<ObjectNode> kept = entry.filter(one -> one.standing() != Entry.Standing.DELETED)
                .map(Entry::body)
                .filter(body -> published.filter(last -> !last.isSpoilt()).isPresent());
        String content = kept.map(Digests::of).orElse("");
        Optional<ObjectNode> body = kept.filter(
                        one -> !content.equals(published.orElseThrow().content()))
                .map(one -> body(one, published.orElseThrow()));
        return new Sending(outgoing, published, body, content, true);
    }

    static Sending unreadable(Outgoing outgoing) {
        return new Sending(outgoing, Optional.empty(), Optional.empty(), "", false);
    }

    /** What is the document's own, with what is CouchDB's of the revision that it follows. */
    private static ObjectNode body(ObjectNode kept, Published last) {
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
        return outgoing.id();
    }

    /** {@return all that is written for it: first what it says, then that its losers are gone} */
    List<ObjectNode> documents() {
        List<ObjectNode> documents = new ArrayList<>(body.stream().toList());
        published.map(Published::losers).orElse(List.of()).forEach(loser -> documents.add(Tombstone.of(id(), loser)));
        return documents;
    }

    /** {@return what CouchDB has now} */
    Optional<Published> after(Optional<String> written) {
        return published.map(last ->
                written.map(revision -> last.followedBy(revision, content)).orElseGet(last::withoutLosers));
    }
}
