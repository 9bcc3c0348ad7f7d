package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.couch.ChangesFeed;
import dev.couchjobs.bridge.internal.couch.ChangesListener;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A connection that reports each write before it is sent. */
record OverheardCouch(CouchDatabase couch, Consumer<ObjectNode> hears) implements CouchDatabase {
    @Override
    public CompletableFuture<List<StoredDocument>> readSome(List<String> ids) {
        return couch.readSome(ids);
    }

    @Override
    public CompletableFuture<List<WriteResult>> write(List<ObjectNode> documents) {
        documents.forEach(hears);
        return couch.write(documents);
    }

    @Override
    public ChangesFeed follow(@Nullable JsonNode since, ChangesListener listener) {
        return couch.follow(since, listener);
    }

    @Override
    public void close() {
        couch.close();
    }
}
