package dev.couchjobs.bridge.internal.intake;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.DiskErrorCheck;
import dev.couchjobs.bridge.internal.store.PublishedState;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransactions;
import dev.couchjobs.bridge.internal.work.WorkQueue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Reads documents from CouchDB and imports them. A batch and all that follows from it are one commit. A document that
 * fails does not prevent the import of the others.
 */
public final class Importer {
    private static final Logger LOG = LoggerFactory.getLogger(Importer.class);
    /** A batch that conflicts more often, or takes longer, is divided. */
    private static final int TRIES = 5;
    /**
     * The pause before a document is read again that the feed names and CouchDB does not show. Each pause is twice the
     * one before.
     */
    private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

    private static final int MOST_LOOKS = 10;
    private static final int LOOKS_IN_SILENCE = 3;

    private final BridgeContext context;
    private final BridgeTransactions transactions;
    private final DocumentProcessor documentProcessor;
    private final WorkQueue work;
    private final String feedName;
    private final Set<String> leftOut = ConcurrentHashMap.newKeySet();

    public Importer(
            BridgeContext context,
            BridgeTransactions transactions,
            DocumentProcessor documentProcessor,
            WorkQueue work,
            String feedName) {
        this.context = context;
        this.transactions = transactions;
        this.documentProcessor = documentProcessor;
        this.work = work;
        this.feedName = feedName;
    }

    /**
     * Imports documents, in batches of the size in which they are read.
     *
     * @param asked the documents, with what the store contains of them; a document that this node writes meanwhile is
     *     read again
     * @param position the position in the feed, stored with the last batch
     */
    public CompletableFuture<Void> take(Map<String, Optional<PublishedState>> asked, Optional<JsonNode> position) {
        CompletableFuture<List<StoredDocument>> read = asked.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : context.couch().readSome(List.copyOf(asked.keySet()));
        return read.thenCompose(stored -> {
            Map<String, Optional<PublishedState>> rest = new LinkedHashMap<>(asked);
            stored.forEach(document -> rest.remove(document.id()));
            return (position.isPresent() ? noteMissing(stored) : done())
                    .thenCompose(noted -> keep(stored, asked, position.filter(last -> rest.isEmpty())))
                    .thenCompose(this::published)
                    .thenCompose(stale -> {
                        rest.putAll(stale);
                        return rest.isEmpty() ? done() : take(rest, position);
                    });
        });
    }

    /**
     * Imports a batch. A batch that fails is divided in two until the failing document is alone; that document is
     * skipped.
     *
     * @return the documents to read again
     */
    private CompletableFuture<List<String>> keep(
            List<StoredDocument> stored, Map<String, Optional<PublishedState>> asked, Optional<JsonNode> position) {
        return turn(stored, asked, position).exceptionallyCompose(error -> {
            if (stored.isEmpty() || isOwnTrouble(error)) {
                return CompletableFuture.failedFuture(error);
            }
            return stored.size() == 1 ? skip(stored.get(0).id(), error, position) : halves(stored, asked, position);
        });
    }

    private CompletableFuture<List<String>> halves(
            List<StoredDocument> stored, Map<String, Optional<PublishedState>> asked, Optional<JsonNode> position) {
        int half = stored.size() / 2;
        return keep(stored.subList(0, half), asked, Optional.empty())
                .thenCompose(first -> keep(
                                stored.subList(half, stored.size()), asked, position.filter(last -> first.isEmpty()))
                        .thenApply(second ->
                                Stream.concat(first.stream(), second.stream()).toList()));
    }

    private CompletableFuture<List<String>> turn(
            List<StoredDocument> stored, Map<String, Optional<PublishedState>> asked, Optional<JsonNode> position) {
        AtomicInteger tries = new AtomicInteger();
        return transactions.run("import changes", transaction -> {
            if (stored.size() > 1 && tries.incrementAndGet() > TRIES) {
                return CompletableFuture.failedFuture(
                        new IllegalStateException("The batch is too large for one transaction"));
            }
            return documentProcessor.takeAll(transaction, stored, asked).thenCompose(stale -> {
                position.filter(last -> stale.isEmpty())
                        .ifPresent(last -> context.store().position(transaction.tx(), context.node(), feedName, last));
                List<StoredDocument> taken = stored.stream()
                        .filter(document -> !stale.contains(document.id()))
                        .toList();
                taken.stream()
                        .filter(document -> !document.leaves().isEmpty())
                        .map(StoredDocument::id)
                        .filter(leftOut::contains)
                        .forEach(id -> context.store().notLeftOut(transaction.tx(), context.node(), feedName, id));
                return work.takeAll(transaction, taken).thenApply(done -> stale);
            });
        });
    }

    /**
     * Stores the documents that the feed names and CouchDB does not show, and reads them again later. The feed does not
     * repeat them, because its position advances. They are stored before the position, so that the next process reads
     * them, too.
     */
    private CompletableFuture<Void> noteMissing(List<StoredDocument> stored) {
        List<String> missing = missing(stored);
        return missing.isEmpty()
                ? done()
                : context.run("skip documents", tx -> {
                            missing.forEach(id -> context.store().leftOut(tx, context.node(), feedName, id));
                            return done();
                        })
                        .thenRun(() -> lookLater(missing, 0));
    }

    private static List<String> missing(List<StoredDocument> stored) {
        return stored.stream()
                .filter(document -> document.leaves().isEmpty())
                .map(StoredDocument::id)
                .toList();
    }

    private void lookLater(List<String> ids, int looks) {
        Duration pause = FIRST_LOOK.multipliedBy(1L << Math.min(looks, 20));
        Duration next = pause.compareTo(BridgeContext.LOOK_AGAIN) < 0 ? pause : BridgeContext.LOOK_AGAIN;
        var unused = context.environment()
                .scheduler()
                .schedule(
                        () -> context.executor().execute(() -> look(ids, looks + 1)),
                        next.toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    private void look(List<String> ids, int looks) {
        var unused = context.couch()
                .read(ids)
                .thenCompose(stored -> {
                    List<String> missing = missing(stored);
                    List<String> found =
                            ids.stream().filter(id -> !missing.contains(id)).toList();
                    leftOut.addAll(found);
                    return published(found)
                            .thenCompose(known -> take(known, Optional.empty()))
                            .thenCompose(taken -> stillMissing(missing, looks));
                })
                .whenComplete((done, error) -> {
                    if (error != null) {
                        LOG.warn("Node {}: skipped documents could not be read again", context.node(), error);
                    }
                });
    }

    private CompletableFuture<Void> stillMissing(List<String> missing, int looks) {
        if (missing.isEmpty()) {
            return done();
        }
        String first = OneLine.of(missing.get(0));
        if (looks < MOST_LOOKS) {
            if (looks == LOOKS_IN_SILENCE) {
                LOG.warn(
                        "Node {}: the feed names {} documents that CouchDB does not show, among them {}; the"
                                + " bridge reads them again",
                        context.node(),
                        missing.size(),
                        first);
            }
            lookLater(missing, looks);
            return done();
        }
        LOG.warn(
                "Node {}: {} documents that the feed has named do not exist, among them {}; the bridge reads each"
                        + " again when it changes",
                context.node(),
                missing.size(),
                first);
        return context.run("forget skipped documents", tx -> {
            missing.forEach(id -> context.store().notLeftOut(tx, context.node(), feedName, id));
            return done();
        });
    }

    /** Whether a failure is the bridge's own and any document would fail. */
    private static boolean isOwnTrouble(Throwable error) {
        Throwable cause = RootCauses.of(error);
        return DiskErrorCheck.isIn(error)
                || (cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError));
    }

    /** Skips a document. That the store accepts this shows that the database is not the cause. */
    private CompletableFuture<List<String>> skip(String id, Throwable error, Optional<JsonNode> position) {
        BridgeStore store = context.store();
        return context.run("skip documents", tx -> {
                    store.leftOut(tx, context.node(), feedName, id);
                    position.ifPresent(last -> store.position(tx, context.node(), feedName, last));
                    return done();
                })
                .thenApply(done -> {
                    if (leftOut.add(id)) {
                        LOG.error(
                                "Node {}: document {} cannot be imported; the bridge tries again when the"
                                        + " document changes and when the bridge is started; delete it if it is not"
                                        + " needed",
                                context.node(),
                                OneLine.of(id),
                                error);
                    }
                    return List.of();
                });
    }

    /**
     * Imports the documents that an earlier process has skipped. It may have been an older version, or had too much to
     * do.
     */
    void tryAgain(List<String> ids) {
        leftOut.addAll(ids);
        look(ids, 0);
    }

    /** {@return the stored state of documents in CouchDB} */
    CompletableFuture<Map<String, Optional<PublishedState>>> published(List<String> ids) {
        return context.read("compare", tx -> {
            Map<String, CompletableFuture<Optional<PublishedState>>> known = new LinkedHashMap<>();
            ids.forEach(id -> known.put(
                    id,
                    BridgeStore.isStorable(id)
                            ? context.store().published(tx, id)
                            : CompletableFuture.completedFuture(Optional.empty())));
            return CompletableFuture.allOf(known.values().toArray(CompletableFuture<?>[]::new))
                    .thenApply(all -> {
                        Map<String, Optional<PublishedState>> read = new LinkedHashMap<>();
                        known.forEach((id, last) -> read.put(id, last.join()));
                        return read;
                    });
        });
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
