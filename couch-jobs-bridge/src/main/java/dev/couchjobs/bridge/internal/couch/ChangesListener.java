package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Receives the changes of a database. */
@FunctionalInterface
public interface ChangesListener {

    /**
     * Receives changes. The feed makes the next call when the returned future completes, and reads at most one batch
     * ahead until then, so a listener limits the memory in use. If the future fails, the feed repeats the changes after
     * a pause.
     *
     * @param changes at least one change and at most a batch; each document at most once
     * @param position the position of the feed after the changes: any JSON value, to be stored as it is
     * @return completes when the listener has processed the changes
     */
    CompletableFuture<Void> changed(List<DocumentChange> changes, JsonNode position);
}
