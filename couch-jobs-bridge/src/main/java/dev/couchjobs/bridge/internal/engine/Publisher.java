package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.couch.Written;
import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import dev.couchjobs.bridge.internal.ledger.Outgoing;
import dev.couchjobs.bridge.internal.ledger.Published;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes documents back to CouchDB, many at a time. What changes while a document is being written goes with the next
 * round, so a document is never written more often than it can be. Where another was first, what he wrote is taken in
 * and the document goes again.
 */
final class Publisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);
    private static final int BATCH = 200;
    /** So that two who write one document do not do so as fast as they can. */
    private static final Duration AFTER_CONFLICT = Duration.ofMillis(20);

    private final BridgeContext context;
    private final Turns turns;
    private final Arrivals arrivals;
    private final Ledger ledger;
    private final Loop loop;

    Publisher(BridgeContext context, Turns turns, Arrivals arrivals) {
        this.context = context;
        this.turns = turns;
        this.arrivals = arrivals;
        this.ledger = context.ledger();
        this.loop = new Loop(
                "publisher of " + context.node(),
                context.environment(),
                context.database().getExecutor(),
                this::round);
    }

    void start() {
        loop.poke();
    }

    @Override
    public void close() {
        loop.close();
    }

    /**
     * A document on its way.
     *
     * @param content a digest of what it is to say, if it is to be written
     */
    private record Sending(
            Outgoing outgoing, Optional<Entry> entry, Optional<Published> published, Optional<String> content) {
        /** One that this node's CouchDB does not have yet is not made there: it is on its way from where it was made. */
        static Sending of(Outgoing outgoing, Optional<Entry> entry, Optional<Published> published) {
            Optional<String> content = entry.filter(kept -> kept.standing() != Entry.Standing.DELETED)
                    .map(kept -> Digests.of(kept.body()))
                    .filter(now -> published
                            .filter(last -> !last.content().equals(now))
                            .isPresent());
            return new Sending(outgoing, entry, published, content);
        }

        boolean isWritten() {
            return content.isPresent();
        }

        List<String> losers() {
            return published.map(Published::losers).orElse(List.of());
        }
    }

    private CompletableFuture<Pause> round() {
        return context.database()
                .runAsync(tx -> ledger.outgoing(tx, context.node(), BATCH).thenApply(all -> {
                    // The watch is set in the transaction that has seen nothing, so nothing comes in between.
                    return all.isEmpty()
                            ? new Look(all, Optional.of(ledger.watchOutgoing(tx, context.node())))
                            : new Look(all, Optional.empty());
                }))
                .thenCompose(look -> look.watch().isPresent()
                        ? CompletableFuture.completedFuture(
                                Pause.until(look.watch().get()))
                        : load(look.outgoing()).thenCompose(this::write));
    }

    private record Look(List<Outgoing> outgoing, Optional<CompletableFuture<Void>> watch) {}

    private CompletableFuture<List<Sending>> load(List<Outgoing> outgoing) {
        return context.database().readAsync(tx -> {
            List<CompletableFuture<Sending>> all = new ArrayList<>();
            for (Outgoing each : outgoing) {
                all.add(ledger.find(tx, each.id())
                        .thenCombine(ledger.published(tx, each.id()), (entry, last) -> Sending.of(each, entry, last)));
            }
            return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> all.stream().map(CompletableFuture::join).toList());
        });
    }

    private CompletableFuture<Pause> write(List<Sending> all) {
        List<ObjectNode> bodies = new ArrayList<>();
        for (Sending each : all) {
            if (each.isWritten()) {
                bodies.add(body(each));
            }
            each.losers()
                    .forEach(revision -> bodies.add(Tombstone.of(each.outgoing().id(), revision)));
        }
        CompletableFuture<List<Written>> written = bodies.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : context.couch().write(bodies);
        return written.thenCompose(results -> settle(all, results));
    }

    private static ObjectNode body(Sending each) {
        ObjectNode body = each.entry().orElseThrow().body().deepCopy();
        body.remove("_rev");
        return body.put("_rev", each.published().orElseThrow().revision());
    }

    private CompletableFuture<Pause> settle(List<Sending> all, List<Written> results) {
        Map<String, Optional<Published>> conflicts = new LinkedHashMap<>();
        List<Sending> settled = new ArrayList<>();
        List<Optional<String>> revisions = new ArrayList<>();
        int next = 0;
        for (Sending each : all) {
            Optional<String> revision = Optional.empty();
            boolean isSettled = true;
            if (each.isWritten()) {
                Written result = results.get(next++);
                if (result instanceof Written.Accepted accepted) {
                    revision = Optional.of(accepted.revision());
                } else if (result instanceof Written.Refused refused) {
                    LOG.error(
                            "CouchDB does not take document {}: {} ({}); what becomes of it is written down only in the"
                                    + " bridge's database until something about it changes",
                            each.outgoing().id(),
                            refused.error(),
                            refused.reason());
                } else {
                    conflicts.put(each.outgoing().id(), each.published());
                    isSettled = false;
                }
            }
            next += each.losers().size(); // one that is gone by now, or has gone on, shows up in the feed
            if (isSettled) {
                settled.add(each);
                revisions.add(revision);
            }
        }
        return sent(settled, revisions).thenCompose(done -> reread(conflicts));
    }

    private CompletableFuture<Void> sent(List<Sending> settled, List<Optional<String>> revisions) {
        if (settled.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return context.database().runAsync(tx -> {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < settled.size(); i++) {
                Sending each = settled.get(i);
                Optional<String> revision = revisions.get(i);
                all.add(ledger.sent(tx, context.node(), each.outgoing()));
                all.add(ledger.published(tx, each.outgoing().id()).thenAccept(known -> {
                    if (known.equals(each.published())) { // otherwise the feed has brought what is newer
                        Optional<Published> now = revision.map(
                                        rev -> new Published(rev, each.content().orElseThrow(), List.of()))
                                .or(() -> known.map(last -> new Published(last.revision(), last.content(), List.of())));
                        now.ifPresent(
                                last -> ledger.published(tx, each.outgoing().id(), last));
                    }
                }));
            }
            return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
        });
    }

    /** Takes in what others have written in between; what is not there at all comes with the feed. */
    private CompletableFuture<Pause> reread(Map<String, Optional<Published>> conflicts) {
        if (conflicts.isEmpty()) {
            return CompletableFuture.completedFuture(Pause.none());
        }
        return context.couch()
                .read(conflicts.keySet())
                .thenCompose(stored -> turns.run(turn -> arrivals.takeAll(turn, stored, conflicts)))
                .thenApply(taken -> Pause.atMost(AFTER_CONFLICT));
    }
}
