package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.couch.Change;
import dev.couchjobs.bridge.internal.couch.ChangesFeed;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import dev.couchjobs.bridge.internal.ledger.Published;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    private final Turns turns;
    private final Arrivals arrivals;
    private final WorkQueue work;
    private final String feedName;
    private @Nullable ChangesFeed feed;

    Intake(BridgeContext context, Turns turns, Arrivals arrivals, WorkQueue work, String feedName) {
        this.context = context;
        this.turns = turns;
        this.arrivals = arrivals;
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
        return published(changes.stream().map(Change::id).toList()).thenCompose(known -> {
            changes.forEach(change -> known.computeIfPresent(
                    change.id(), (id, last) -> isWhatWasWrittenLast(change, last) ? null : last));
            return take(known, position);
        });
    }

    private static boolean isWhatWasWrittenLast(Change change, Optional<Published> last) {
        return last.filter(one -> change.revisions().equals(List.of(one.revision())))
                .isPresent();
    }

    /** The position is written down with the last of the documents: what has to be read again is not left out. */
    private CompletableFuture<Void> take(Map<String, Optional<Published>> asked, JsonNode position) {
        CompletableFuture<List<StoredDocument>> read = asked.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : context.couch().read(asked.keySet());
        return read.thenCompose(stored -> keep(stored, asked, position))
                .thenCompose(stale -> stale.isEmpty()
                        ? CompletableFuture.completedFuture(null)
                        : published(stale).thenCompose(known -> take(known, position)));
    }

    private CompletableFuture<List<String>> keep(
            List<StoredDocument> stored, Map<String, Optional<Published>> asked, JsonNode position) {
        return turns.run(turn -> arrivals.takeAll(turn, stored, asked).thenCompose(stale -> {
            if (stale.isEmpty()) {
                context.ledger().position(turn.tx(), context.node(), feedName, position);
            }
            List<StoredDocument> taken = stored.stream()
                    .filter(document -> !stale.contains(document.id()))
                    .toList();
            return work.takeAll(turn, taken).thenApply(done -> stale);
        }));
    }

    /** What is known now of what CouchDB has of documents. */
    private CompletableFuture<Map<String, Optional<Published>>> published(List<String> ids) {
        return context.database().readAsync(tx -> {
            Map<String, CompletableFuture<Optional<Published>>> known = new LinkedHashMap<>();
            ids.forEach(id -> known.put(id, context.ledger().published(tx, id)));
            return CompletableFuture.allOf(known.values().toArray(CompletableFuture<?>[]::new))
                    .thenApply(all -> {
                        Map<String, Optional<Published>> read = new LinkedHashMap<>();
                        known.forEach((id, last) -> read.put(id, last.join()));
                        return read;
                    });
        });
    }
}
