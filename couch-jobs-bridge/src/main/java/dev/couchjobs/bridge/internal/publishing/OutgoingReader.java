package dev.couchjobs.bridge.internal.publishing;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.JsonWeight;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.OutboxEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads documents of the outbox from the store, as many as fit into one request. */
final class OutgoingReader {
    private static final Logger LOG = LoggerFactory.getLogger(OutgoingReader.class);
    /** The size of a request after which no document is added. */
    private static final long ENOUGH = 1 << 20;
    /** The number of documents that are read at once, and so the most that are read in vain. */
    private static final int AT_ONCE = 8;

    private final BridgeStore store;

    OutgoingReader(BridgeStore store) {
        this.store = store;
    }

    /** {@return the first of the documents, at least one} */
    CompletableFuture<List<PendingWrite>> read(ReadTransaction tx, List<OutboxEntry> entries) {
        return read(tx, entries, new ArrayList<>(), 0);
    }

    private CompletableFuture<List<PendingWrite>> read(
            ReadTransaction tx, List<OutboxEntry> entries, List<PendingWrite> before, long bytes) {
        if (before.size() == entries.size() || bytes >= ENOUGH) {
            return CompletableFuture.completedFuture(before);
        }
        int end = Math.min(entries.size(), before.size() + AT_ONCE);
        List<CompletableFuture<PendingWrite>> part = entries.subList(before.size(), end).stream()
                .map(each -> sending(tx, each))
                .toList();
        return CompletableFuture.allOf(part.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    long more = 0;
                    for (CompletableFuture<PendingWrite> each : part) {
                        before.add(each.join());
                        more += each.join().body().map(JsonWeight::of).orElse(0L);
                    }
                    return read(tx, entries, before, bytes + more);
                });
    }

    private CompletableFuture<PendingWrite> sending(ReadTransaction tx, OutboxEntry outboxEntry) {
        return store.find(tx, outboxEntry.id())
                .thenCombine(
                        store.published(tx, outboxEntry.id()),
                        (entry, published) -> PendingWrite.of(outboxEntry, entry, published))
                .exceptionallyCompose(error -> {
                    if (error instanceof FDBException || error.getCause() instanceof FDBException) {
                        return CompletableFuture.failedFuture(error);
                    }
                    LOG.error("The entry of document {} cannot be read", OneLine.of(outboxEntry.id()), error);
                    return CompletableFuture.completedFuture(PendingWrite.unreadable(outboxEntry));
                });
    }
}
