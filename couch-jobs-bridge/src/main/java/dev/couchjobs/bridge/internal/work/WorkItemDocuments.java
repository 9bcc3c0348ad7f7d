package dev.couchjobs.bridge.internal.work;

import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.document.Tombstone;
import dev.couchjobs.bridge.internal.document.WorkItem;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.ObjectNode;

/** Reads work items from their documents. */
final class WorkItemDocuments {
    private final CouchDatabase couch;
    private final DocumentReader reader;
    private final Set<String> together;

    /** @param together the nodes among which one at most holds an item's job */
    WorkItemDocuments(CouchDatabase couch, DocumentReader reader, Set<String> together) {
        this.couch = couch;
        this.reader = reader;
        this.together = Set.copyOf(together);
    }

    /** An item and its document, with its revision. */
    record Stored(WorkItem item, ObjectNode body) {
        /** {@return the number of the revision in its history, from 1} */
        long generation() {
            return new Leaf(body.path("_rev").asString(), false, body).generation();
        }
    }

    /**
     * {@return whether the holder of the item's job may work on it} A claim that names no node belongs to another
     * program.
     */
    boolean isOurs(WorkItem item) {
        return item.isClaimed() && item.claimedBy().filter(together::contains).isPresent();
    }

    /** {@return the document with the id, if it is a work item} */
    CompletableFuture<Optional<Stored>> read(String id) {
        return couch.read(List.of(id))
                .thenApply(stored -> stored.get(0)
                        .current()
                        .flatMap(leaf -> reader.read(leaf.body()) instanceof ParsedDocument.Work work
                                ? Optional.of(new Stored(work.item(), leaf.body()))
                                : Optional.empty()));
    }

    /** {@return the document with another state of the item, on the same revision} */
    static Stored with(WorkItem item, ObjectNode base) {
        ObjectNode body = DocumentWriter.write(item, base);
        return new Stored(item, body.put("_rev", base.path("_rev").asString()));
    }

    CompletableFuture<WriteResult> write(Stored stored) {
        return write(stored.body());
    }

    CompletableFuture<WriteResult> delete(Stored stored) {
        return write(Tombstone.of(stored.item().id(), stored.body().path("_rev").asString()));
    }

    private CompletableFuture<WriteResult> write(ObjectNode body) {
        return couch.write(List.of(body)).thenApply(results -> results.get(0));
    }
}
