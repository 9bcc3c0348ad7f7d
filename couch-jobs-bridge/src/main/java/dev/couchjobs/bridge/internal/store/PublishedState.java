package dev.couchjobs.bridge.internal.store;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The last known state of a document in CouchDB.
 *
 * @param revision the revision that the next one has to follow
 * @param content the digest of its content; equal content is not written again
 * @param losers conflicting revisions to delete, whose content has been joined
 * @param attachments its attachments, which the next revision has to repeat
 * @param isInvalid whether only the deciding node may write the next revision
 */
public record PublishedState(
        String revision, String content, List<String> losers, Optional<ObjectNode> attachments, boolean isInvalid) {
    public PublishedState {
        losers = List.copyOf(losers);
    }

    /** {@return the state after the next revision, without conflicts} */
    public PublishedState followedBy(String nextRevision, String nextContent) {
        return new PublishedState(nextRevision, nextContent, List.of(), attachments, false);
    }

    /** {@return this state without conflicts} */
    public PublishedState withoutLosers() {
        return new PublishedState(revision, content, List.of(), attachments, isInvalid);
    }

    /** {@return the number of the revision in its history, from 1} */
    public long generation() {
        return Long.parseLong(revision.substring(0, revision.indexOf('-')));
    }
}
