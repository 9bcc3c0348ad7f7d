package dev.couchjobs.bridge.internal.intake;

import dev.couchjobs.bridge.internal.couch.ChangesFeed;
import dev.couchjobs.bridge.internal.couch.DocumentChange;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.PublishedState;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Imports the changes of CouchDB. The last documents of a batch and the position in the feed are one commit, so a
 * restart neither skips nor repeats a change. Changes that this node has written are not read.
 */
public final class ChangesConsumer implements AutoCloseable {
    private static final int MOST_LEFT_OUT = 1_000;

    private final BridgeContext context;
    private final Importer importer;
    private final String feedName;
    private @Nullable ChangesFeed feed;
    private boolean isClosed;

    public ChangesConsumer(BridgeContext context, Importer importer, String feedName) {
        this.context = context;
        this.importer = importer;
        this.feedName = feedName;
    }

    /** Continues at the stored position. */
    public CompletableFuture<Void> start() {
        BridgeStore store = context.store();
        return context.read(
                        "start",
                        tx -> store.position(tx, context.node(), feedName)
                                .thenCombine(store.leftOut(tx, context.node(), feedName, MOST_LEFT_OUT), Start::new))
                .thenAccept(this::follow);
    }

    private synchronized void follow(Start start) {
        if (isClosed) {
            return;
        }
        feed = context.couch().follow(start.position().orElse(null), this::take);
        if (!start.leftOut().isEmpty()) {
            importer.tryAgain(start.leftOut());
        }
    }

    private record Start(Optional<JsonNode> position, List<String> leftOut) {}

    @Override
    public synchronized void close() {
        isClosed = true;
        if (feed != null) {
            feed.close();
        }
    }

    private CompletableFuture<Void> take(List<DocumentChange> changes, JsonNode position) {
        return importer.published(changes.stream().map(DocumentChange::id).toList())
                .thenCompose(known -> {
                    changes.forEach(change ->
                            known.computeIfPresent(change.id(), (id, last) -> isOwnWrite(change, last) ? null : last));
                    return importer.take(known, Optional.of(position));
                });
    }

    private static boolean isOwnWrite(DocumentChange change, Optional<PublishedState> last) {
        return last.filter(one -> change.revisions().equals(List.of(one.revision())))
                .isPresent();
    }
}
