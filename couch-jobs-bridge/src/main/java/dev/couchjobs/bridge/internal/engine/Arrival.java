package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.internal.ledger.Published;
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
record Arrival(StoredDocument stored, Optional<Entry> entry, Optional<Entry> refusal, Optional<Published> published) {

    static Arrival of(StoredDocument stored, Optional<Entry> entry, Optional<Published> published) {
        return new Arrival(stored, entry, Optional.empty(), published);
    }

    /** This, looked at anew. A refused document is still the same job, if it was one before. */
    Arrival anew() {
        return new Arrival(stored, Optional.empty(), entry.filter(last -> is(Entry.Standing.REFUSED)), published);
    }

    /** This, as if nothing had been kept. */
    Arrival unknown() {
        return new Arrival(stored, Optional.empty(), Optional.empty(), published);
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
    Optional<Entry> last() {
        return entry.or(() -> refusal);
    }

    boolean is(Entry.Standing standing) {
        return entry.filter(kept -> kept.standing() == standing).isPresent();
    }

    boolean isLive() {
        return is(Entry.Standing.LIVE);
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
    boolean isStale(Optional<Published> asked) {
        return !published.equals(asked)
                && published
                        .filter(last -> last.generation() > leaf().generation())
                        .isPresent();
    }

    /** {@return that CouchDB has this, and that what conflicts with it is to be deleted} */
    Published seen() {
        return seen(losers().stream().map(Leaf::revision).toList(), false);
    }

    /** {@return that CouchDB has this, and that nothing is to be written on it before its creator has judged it} */
    Published spoilt() {
        return seen(List.of(), true);
    }

    private Published seen(List<String> losers, boolean isSpoilt) {
        Optional<ObjectNode> attachments = leaf().body()
                .optional("_attachments")
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast);
        return new Published(leaf().revision(), Digests.of(leaf().body()), losers, attachments, isSpoilt);
    }
}
