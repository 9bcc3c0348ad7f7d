package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.couch.Change;
import dev.couchjobs.bridge.internal.couch.ChangesFeed;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Takes in what changes in CouchDB. Documents, the jobs that follow from them and the position in the feed are one commit,
 * so that a restart neither leaves anything out nor does anything twice. Of each document that has changed only what is
 * not known yet is read: most changes are our own.
 */
final class Intake implements AutoCloseable {
    private final BridgeContext context;
    private final Documents documents;
    private final WorkQueue work;
    private final String feedName;
    private @Nullable ChangesFeed feed;

    Intake(BridgeContext context, Documents documents, WorkQueue work, String feedName) {
        this.context = context;
        this.documents = documents;
        this.work = work;
        this.feedName = feedName;
    }

    /** Begins where the feed was left. */
    CompletableFuture<Void> start() {
        Ledger ledger = context.ledger();
        return context.database()
                .readAsync(tx -> ledger.position(tx, context.node(), feedName))
                .thenAccept(position -> feed = context.couch().follow(position.orElse(null), this::take));
    }

    @Override
    public void close() {
        if (feed != null) {
            feed.close();
        }
    }

    private CompletableFuture<Void> take(List<Change> changes, JsonNode position) {
        return unknown(changes)
                .thenCompose(ids -> ids.isEmpty()
                        ? CompletableFuture.completedFuture(List.of())
                        : context.couch().read(ids))
                .thenCompose(stored -> keep(stored, position));
    }

    private CompletableFuture<Void> keep(List<StoredDocument> stored, JsonNode position) {
        return documents.turn(Turn.Runner.of(context.database()), turn -> {
            context.ledger().position(turn.tx(), context.node(), feedName, position);
            return documents.takeAll(turn, stored).thenCompose(taken -> work.takeAll(turn, stored));
        });
    }

    /** Those that are not just what this node has written last. */
    private CompletableFuture<List<String>> unknown(List<Change> changes) {
        return context.database().readAsync(tx -> {
            List<CompletableFuture<Boolean>> known = new ArrayList<>();
            for (Change change : changes) {
                known.add(context.ledger()
                        .published(tx.snapshot(), change.id())
                        .thenApply(published -> published
                                .filter(last -> change.revisions().equals(List.of(last.revision())))
                                .isPresent()));
            }
            return CompletableFuture.allOf(known.toArray(CompletableFuture<?>[]::new))
                    .thenApply(all -> {
                        List<String> ids = new ArrayList<>();
                        for (int i = 0; i < changes.size(); i++) {
                            if (!known.get(i).join()) {
                                ids.add(changes.get(i).id());
                            }
                        }
                        return ids;
                    });
        });
    }
}
