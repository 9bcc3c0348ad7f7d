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
 * Reads documents from CouchDB and takes them in. Those that are taken in together are one commit with all that follows
 * from them; whatever it may be that one of them does to a bridge, the others come in.
 */
public final class Importer {
    private static final Logger LOG = LoggerFactory.getLogger(Importer.class);
    /** More of them, and what is to be done together takes too long, or meets others all the time. */
    private static final int TRIES = 5;
    /**
     * After how long a document is looked for that CouchDB has told of and not shown; each pause is twice the one
     * before.
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
     * Takes documents in, as many at a time as are read at once.
     *
     * @param asked which, and what is known of them; a document that this node writes meanwhile is read again
     * @param position of the feed, to be written down with the last of them
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
     * Takes documents in together. If they fail together they are halved until the one that fails is alone, and it is
     * left out: whatever it may be that a document does to a bridge, the others come in.
     *
     * @return those that have to be read again
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
        return transactions.run("take in", transaction -> {
            if (stored.size() > 1 && tries.incrementAndGet() > TRIES) {
                return CompletableFuture.failedFuture(new IllegalStateException("There is too much to do at once"));
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
     * A document that the feed tells of and a read does not find is looked for again: the position goes on, so that the
     * feed never tells of it a second time. Noted before the position, it is looked for by the next process, too.
     */
    private CompletableFuture<Void> noteMissing(List<StoredDocument> stored) {
        List<String> missing = missing(stored);
        return missing.isEmpty()
                ? done()
                : context.run("leave out", tx -> {
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
                        () -> context.database().getExecutor().execute(() -> look(ids, looks + 1)),
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
                        LOG.warn(
                                "Node {}: documents that were left out could not be looked at again",
                                context.node(),
                                error);
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
                        "Node {}: CouchDB tells of {} documents and does not show them, among them {}; they are"
                                + " looked for",
                        context.node(),
                        missing.size(),
                        first);
            }
            lookLater(missing, looks);
            return done();
        }
        LOG.warn(
                "Node {}: {} documents of which CouchDB has told are not there, among them {}; each is looked for"
                        + " again when it"
                        + " changes",
                context.node(),
                missing.size(),
                first);
        return context.run("forget left out", tx -> {
            missing.forEach(id -> context.store().notLeftOut(tx, context.node(), feedName, id));
            return done();
        });
    }

    /** A bridge that has no memory or no threads left would fail with any document. */
    private static boolean isOwnTrouble(Throwable error) {
        Throwable cause = RootCauses.of(error);
        return DiskErrorCheck.isIn(error)
                || (cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError));
    }

    /** Notes it, which shows that the database is not to blame, and goes on. */
    private CompletableFuture<List<String>> skip(String id, Throwable error, Optional<JsonNode> position) {
        BridgeStore store = context.store();
        return context.run("leave out", tx -> {
                    store.leftOut(tx, context.node(), feedName, id);
                    position.ifPresent(last -> store.position(tx, context.node(), feedName, last));
                    return done();
                })
                .thenApply(done -> {
                    if (leftOut.add(id)) {
                        LOG.error(
                                "Node {}: document {} cannot be taken in, and nothing will be done about it until it"
                                        + " changes or the"
                                        + " bridge is started again; delete it if it is not needed",
                                context.node(),
                                OneLine.of(id),
                                error);
                    }
                    return List.of();
                });
    }

    /**
     * Tries what a process before this one has left out: that may have been older, or there was less to do this time.
     */
    void tryAgain(List<String> ids) {
        leftOut.addAll(ids);
        look(ids, 0);
    }

    /** What is known now of what CouchDB has of documents. */
    CompletableFuture<Map<String, Optional<PublishedState>>> published(List<String> ids) {
        return context.read("compare", tx -> {
            Map<String, CompletableFuture<Optional<PublishedState>>> known = new LinkedHashMap<>();
            ids.forEach(id -> known.put(id, context.store().published(tx, id)));
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
