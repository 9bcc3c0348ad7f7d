package dev.couchjobs.bridge.internal.publishing;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.internal.intake.Importer;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.Outbox;
import dev.couchjobs.bridge.internal.store.OutboxEntry;
import dev.couchjobs.bridge.internal.store.PublishedState;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the documents of the outbox to CouchDB, in batches. A document that changes while it is written is written
 * again in the next round. After a conflict the other version is imported, and the document is written again. A
 * document that CouchDB refuses is written again later, and at its next change.
 */
public final class DocumentPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DocumentPublisher.class);
    private static final int BATCH = 200;
    /** The pause after a conflict, so that two writers of a document do not compete without one. */
    private static final Duration AFTER_CONFLICT = Duration.ofMillis(20);
    /** After so many conflicts in a row a document is postponed, so that it does not delay the others. */
    private static final int CONFLICTS_IN_A_ROW = 3;

    private static final Duration LONGEST_AFTER_CONFLICT = Duration.ofSeconds(10);
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);
    private static final Duration LONGEST_AFTER_REFUSAL = Duration.ofHours(1);
    private static final int REASONS = 100;

    private final BridgeContext context;
    private final Importer importer;
    private final BridgeStore store;
    private final Outbox outbox;
    private final OutgoingReader reader;
    private final Loop loop;
    /** Completes when a round that began later has found nothing to write. */
    private volatile CompletableFuture<Void> idle = new CompletableFuture<>();

    private final Map<String, Integer> conflictsInARow = new ConcurrentHashMap<>();
    private final Set<String> reasonsSaid = new HashSet<>();
    private volatile Optional<String> reached = Optional.empty();
    private volatile boolean hasRecalledAll;

    public DocumentPublisher(BridgeContext context, Importer importer) {
        this.context = context;
        this.importer = importer;
        this.store = context.store();
        this.outbox = store.outbox();
        this.reader = new OutgoingReader(store);
        this.loop = new Loop("publisher of " + context.node(), context.environment(), context.executor(), this::round);
    }

    public void start() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
    }

    /**
     * {@return completes when nothing is left to write now, or nothing can be written any more; a caller may complete
     * it to end the wait}
     */
    public CompletableFuture<Void> idle() {
        CompletableFuture<Void> nothingLeft = new CompletableFuture<>();
        var unused = loop.ended().thenRun(() -> nothingLeft.complete(null));
        idle = nothingLeft;
        loop.wakeUp(); // a round under way may have read the outbox before
        return nothingLeft;
    }

    private CompletableFuture<Pause> round() {
        CompletableFuture<Void> nothingLeft = idle;
        return context.run("read outbox", this::look).thenCompose(look -> {
            if (look.pause().isPresent()) {
                nothingLeft.complete(null);
                return CompletableFuture.completedFuture(look.pause().get());
            }
            return context.<List<PendingWrite>>read("read documents", tx -> reader.read(tx, look.entries()))
                    .thenCompose(this::complete)
                    .thenCompose(this::write);
        });
    }

    /** The entries to write next; without any, the pause. */
    private record Look(List<OutboxEntry> entries, Optional<Pause> pause) {}

    private CompletableFuture<Look> look(Transaction tx) {
        String node = context.node();
        // After a restart all refused documents are written again, because the reason may be gone.
        Instant now = hasRecalledAll ? now() : Instant.ofEpochMilli(Long.MAX_VALUE - 1);
        return outbox.recall(tx, node, now, BATCH)
                .thenCompose(more -> outbox.next(tx, node, reached, BATCH)
                        .thenCompose(next -> next.isEmpty() && reached.isPresent()
                                ? outbox.next(tx, node, Optional.empty(), BATCH)
                                : CompletableFuture.completedFuture(next))
                        .thenCompose(next -> {
                            hasRecalledAll |= !more;
                            return next.isEmpty()
                                    ? pause(tx).thenApply(pause -> new Look(next, Optional.of(pause)))
                                    : CompletableFuture.completedFuture(new Look(next, Optional.empty()));
                        }));
    }

    /** Sets the watch in the transaction that has found nothing, so that no entry is missed. */
    private CompletableFuture<Pause> pause(Transaction tx) {
        return outbox.nextTime(tx, context.node()).thenApply(next -> {
            if (next.isEmpty()) {
                conflictsInARow.clear(); // of deleted documents, for example
            }
            Duration longest = next.map(time -> positive(Duration.between(now(), time)))
                    .filter(time -> time.compareTo(BridgeContext.LOOK_AGAIN) < 0)
                    .orElse(BridgeContext.LOOK_AGAIN);
            return Pause.until(outbox.watch(tx, context.node())).cappedAt(longest);
        });
    }

    private static Duration positive(Duration time) {
        return time.compareTo(AFTER_CONFLICT) < 0 ? AFTER_CONFLICT : time;
    }

    private Instant now() {
        return context.environment().clock().instant();
    }

    /** Reads the missing parts of documents from CouchDB; of fewer documents if they would be too large together. */
    private CompletableFuture<List<PendingWrite>> complete(List<PendingWrite> all) {
        List<String> incomplete = all.stream()
                .filter(DocumentPublisher::isIncomplete)
                .map(PendingWrite::id)
                .toList();
        if (incomplete.isEmpty()) {
            return CompletableFuture.completedFuture(all);
        }
        return context.couch().readSome(incomplete).thenApply(some -> {
            Map<String, StoredDocument> read = new LinkedHashMap<>();
            some.forEach(document -> read.put(document.id(), document));
            return all.stream()
                    .takeWhile(each -> !isIncomplete(each) || read.containsKey(each.id()))
                    .map(each -> Optional.ofNullable(read.get(each.id()))
                            .map(each::completed)
                            .orElse(each))
                    .toList();
        });
    }

    private static boolean isIncomplete(PendingWrite pendingWrite) {
        return pendingWrite.state() == PendingWrite.State.INCOMPLETE;
    }

    private CompletableFuture<Pause> write(List<PendingWrite> all) {
        reached = Optional.of(all.get(all.size() - 1).id());
        List<ObjectNode> bodies = new ArrayList<>();
        all.forEach(each -> bodies.addAll(each.documents()));
        CompletableFuture<List<WriteResult>> writeResult = bodies.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : context.couch().write(bodies);
        return writeResult.thenCompose(results -> settle(all, results));
    }

    private CompletableFuture<Pause> settle(List<PendingWrite> all, List<WriteResult> results) {
        Map<String, Optional<PublishedState>> conflicts = new LinkedHashMap<>();
        List<Settled> settled = new ArrayList<>();
        int next = 0;
        for (PendingWrite each : all) {
            // The feed reports a loser that another client has changed or deleted.
            Optional<WriteResult> result = each.body().isPresent() ? Optional.of(results.get(next)) : Optional.empty();
            boolean isStale = each.state() == PendingWrite.State.STALE;
            next += each.documents().size();
            if (isStale || result.filter(WriteResult.Conflict.class::isInstance).isPresent()) {
                conflicts.put(each.id(), each.published());
            } else {
                conflictsInARow.remove(each.id());
                settled.add(new Settled(each, result));
            }
        }
        return sent(settled).thenCompose(done -> reread(conflicts));
    }

    /** A document with the result of its write; empty if nothing was to be written. */
    private record Settled(PendingWrite pendingWrite, Optional<WriteResult> result) {
        boolean isPutOff() {
            return pendingWrite.state() == PendingWrite.State.UNREADABLE
                    || result.filter(WriteResult.Refused.class::isInstance).isPresent();
        }
    }

    private CompletableFuture<Void> sent(List<Settled> settled) {
        settled.forEach(each -> each.result().ifPresent(this::complain));
        return settled.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : context.run(
                        "record writes",
                        tx -> CompletableFuture.allOf(
                                settled.stream().map(each -> sent(tx, each)).toArray(CompletableFuture<?>[]::new)));
    }

    private CompletableFuture<Void> sent(Transaction tx, Settled settled) {
        PendingWrite each = settled.pendingWrite();
        CompletableFuture<Boolean> out = outbox.sent(tx, context.node(), each.outboxEntry());
        if (settled.isPutOff()) {
            return out.thenAccept(isLast -> {
                if (isLast) {
                    putOff(tx, each.outboxEntry());
                }
            });
        }
        Optional<String> revision =
                settled.result().map(writeResult -> ((WriteResult.Accepted) writeResult).revision());
        return out.thenAcceptBoth(store.published(tx, each.id()), (isLast, known) -> {
            if (known.equals(each.published())) { // otherwise the feed has reported a newer version
                each.after(revision).ifPresent(now -> store.published(tx, each.id(), now));
            }
        });
    }

    private void putOff(Transaction tx, OutboxEntry refused) {
        Duration pause = doubled(AFTER_REFUSAL, refused.refusals(), LONGEST_AFTER_REFUSAL);
        OutboxEntry again = new OutboxEntry(refused.id(), refused.token(), refused.refusals() + 1);
        outbox.putOff(tx, context.node(), again, now().plus(pause));
    }

    private static Duration doubled(Duration first, int times, Duration longest) {
        Duration pause = first.multipliedBy(1L << Math.min(times, 20));
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    /** Logs each reason once, because many documents may fail repeatedly. */
    private void complain(WriteResult result) {
        if (result instanceof WriteResult.Refused refused) {
            String reason = refused.error() + " (" + refused.reason() + ")";
            boolean isNew = reasonsSaid.size() < REASONS && reasonsSaid.add(reason.replace(refused.id(), ""));
            if (isNew) {
                LOG.error(
                        "Node {}: CouchDB refuses document {}: {}. The bridge keeps what it has to write into"
                                + " this document, and into others that CouchDB refuses for this reason, and tries"
                                + " again with pauses up to an hour",
                        context.node(),
                        OneLine.of(refused.id()),
                        OneLine.of(reason));
            } else {
                LOG.debug("CouchDB refuses document {}: {}", OneLine.of(refused.id()), OneLine.of(reason));
            }
        }
    }

    /** Imports what other clients have written meanwhile. Documents that do not exist yet come with the feed. */
    private CompletableFuture<Pause> reread(Map<String, Optional<PublishedState>> conflicts) {
        if (conflicts.isEmpty()) {
            return CompletableFuture.completedFuture(Pause.none());
        }
        return importer.take(conflicts, Optional.empty())
                .thenCompose(taken -> putOff(conflicts.keySet()))
                .thenApply(taken -> Pause.atMost(AFTER_CONFLICT));
    }

    /** Postpones documents with repeated conflicts. */
    private CompletableFuture<Void> putOff(Set<String> conflicts) {
        Map<String, Integer> repeated = new LinkedHashMap<>();
        for (String id : conflicts) {
            int times = conflictsInARow.merge(id, 1, Integer::sum);
            if (times > CONFLICTS_IN_A_ROW) {
                repeated.put(id, times - CONFLICTS_IN_A_ROW);
            }
        }
        return repeated.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : context.run("postpone documents", tx -> {
                    repeated.forEach((id, times) -> outbox.putOff(
                            tx,
                            context.node(),
                            new OutboxEntry(id, context.environment().random().nextLong(), 0),
                            now().plus(doubled(AFTER_CONFLICT, times, LONGEST_AFTER_CONFLICT))));
                    return CompletableFuture.completedFuture(null);
                });
    }
}
