package dev.couchjobs.bridge.internal.store;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * What CouchDB has of a document, as far as is known here.
 *
 * @param revision the revision that the next one is to follow
 * @param content a digest of what it says; whatever has the same need not be written again
 * @param losers revisions that conflict with it, and are to be deleted since all that they say has been taken over
 * @param attachments what it says of its attachments: what follows it has to say the same, or loses them
 * @param isInvalid whether it is for the node on which it was made to say what happens to it: nothing is written on it
 *     until then
 */
public record PublishedState(
        String revision, String content, List<String> losers, Optional<ObjectNode> attachments, boolean isInvalid) {
    /** Keeps a copy of the list. */
    public PublishedState {
        losers = List.copyOf(losers);
    }

    /** {@return what CouchDB has when the next revision has been written, and what was in conflict has been deleted} */
    public PublishedState followedBy(String nextRevision, String nextContent) {
        return new PublishedState(nextRevision, nextContent, List.of(), attachments, false);
    }

    /** {@return the same after what was in conflict with it has been deleted} */
    public PublishedState withoutLosers() {
        return new PublishedState(revision, content, List.of(), attachments, isInvalid);
    }

    /** {@return how many revisions led to it, itself included} */
    public long generation() {
        return Long.parseLong(revision.substring(0, revision.indexOf('-')));
    }
}
