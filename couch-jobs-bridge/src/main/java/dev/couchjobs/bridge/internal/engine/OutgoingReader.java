package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.Weight;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import dev.couchjobs.bridge.internal.ledger.Outgoing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what is kept of documents that are to be written: as many as make a bearable request. */
final class OutgoingReader {
    private static final Logger LOG = LoggerFactory.getLogger(OutgoingReader.class);
    /** Bytes of a request, but for its last documents. */
    private static final long ENOUGH = 1 << 20;
    /** How many are read at once: at most so many are too many. */
    private static final int AT_ONCE = 8;

    private final Ledger ledger;

    OutgoingReader(Ledger ledger) {
        this.ledger = ledger;
    }

    /** {@return the first of these, at least one} */
    CompletableFuture<List<Sending>> read(ReadTransaction tx, List<Outgoing> outgoing) {
        return read(tx, outgoing, new ArrayList<>(), 0);
    }

    private CompletableFuture<List<Sending>> read(
            ReadTransaction tx, List<Outgoing> outgoing, List<Sending> before, long bytes) {
        if (before.size() == outgoing.size() || bytes >= ENOUGH) {
            return CompletableFuture.completedFuture(before);
        }
        int end = Math.min(outgoing.size(), before.size() + AT_ONCE);
        List<CompletableFuture<Sending>> part = outgoing.subList(before.size(), end).stream()
                .map(each -> sending(tx, each))
                .toList();
        return CompletableFuture.allOf(part.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    long more = 0;
                    for (CompletableFuture<Sending> each : part) {
                        before.add(each.join());
                        more += each.join().body().map(Weight::of).orElse(0L);
                    }
                    return read(tx, outgoing, before, bytes + more);
                });
    }

    private CompletableFuture<Sending> sending(ReadTransaction tx, Outgoing outgoing) {
        return ledger.find(tx, outgoing.id())
                .thenCombine(
                        ledger.published(tx, outgoing.id()),
                        (entry, published) -> Sending.of(outgoing, entry, published))
                .exceptionallyCompose(error -> {
                    if (error instanceof FDBException || error.getCause() instanceof FDBException) {
                        return CompletableFuture.failedFuture(error);
                    }
                    LOG.error("What is kept of document {} cannot be read", OneLine.of(outgoing.id()), error);
                    return CompletableFuture.completedFuture(Sending.unreadable(outgoing));
                });
    }
}
