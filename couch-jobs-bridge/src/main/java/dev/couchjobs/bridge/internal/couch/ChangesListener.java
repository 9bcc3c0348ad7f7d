package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Is told what has changed in a database. */
@FunctionalInterface
public interface ChangesListener {

    /**
     * Some documents have changed. The next call comes when what this returns is complete, and until then one batch is
     * read ahead at most: so a listener bounds what is held in memory. If it fails, the same changes come again, after
     * a pause.
     *
     * @param changes at least one, at most as many as the feed's batch holds; each document at most once
     * @param position where the feed is behind them: any JSON value, to be stored and given back as it is
     * @return when they have been dealt with
     */
    CompletableFuture<Void> changed(List<DocumentChange> changes, JsonNode position);
}
