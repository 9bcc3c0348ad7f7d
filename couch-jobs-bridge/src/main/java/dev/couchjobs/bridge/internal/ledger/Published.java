package dev.couchjobs.bridge.internal.ledger;

import java.util.List;

/**
 * What CouchDB has of a document, as far as is known here.
 *
 * @param revision the revision that the next one is to follow
 * @param content a digest of what it says; whatever has the same need not be written again
 * @param losers revisions that conflict with it, and are to be deleted since all that they say has been taken over
 */
public record Published(String revision, String content, List<String> losers) {
    /** Keeps a copy of the list. */
    public Published {
        losers = List.copyOf(losers);
    }

    /** {@return how many revisions led to it, itself included} */
    public long generation() {
        return Long.parseLong(revision.substring(0, revision.indexOf('-')));
    }
}
