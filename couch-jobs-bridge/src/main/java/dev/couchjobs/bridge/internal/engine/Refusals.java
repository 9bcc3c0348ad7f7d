package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.Cluster;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.Reading;
import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Documents that cannot be run: which node reports it, where, and what is kept of them. */
final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

    private static final ObjectNode NOTHING_TO_SAY = JsonNodeFactory.instance.objectNode();

    private final String node;
    private final Ledger ledger;
    private final CouchDatabase couch;
    private final Assignment assignment;
    private final Cluster cluster;
    private final DocumentReader reader;
    private final Documents documents;
    private final Settlement settlement;

    Refusals(BridgeContext context, Assignment assignment, Documents documents, Settlement settlement) {
        this.node = context.node();
        this.ledger = context.ledger();
        this.couch = context.couch();
        this.cluster = context.cluster();
        this.reader = new DocumentReader(cluster);
        this.assignment = assignment;
        this.documents = documents;
        this.settlement = settlement;
    }

    /** Nothing can be kept of a document with such an id, so it is told at once what is wrong with it. */
    void unbearable(Turn turn, StoredDocument stored) {
        Optional<ObjectNode> body = stored.current().map(Leaf::body);
        if (body.isPresent()
                && reader.read(body.get()) instanceof Reading.Broken broken
                && broken.kind() == DocumentKind.JOB
                && !broken.isEnded()
                && assignment.judges(homeOf(body.get()), false)) {
            ObjectNode refused = DocumentWriter.refuse(body.get(), broken.reason());
            turn.afterwards(() -> {
                var unused = couch.write(List.of(refused));
            });
        }
    }

    /** Ends what cannot be run, if that is for this node to say. */
    CompletableFuture<Void> broken(Turn turn, Arrival arrival, String reason, boolean isEnded) {
        if (isEnded && !arrival.isLive()) {
            return over(turn, arrival);
        }
        // Who judges may have said so to all before this node has heard of it.
        if (isEnded || assignment.judges(home(arrival), arrival.last().isPresent())) {
            return refuse(turn, arrival, reason, isEnded);
        }
        spoilt(turn, arrival);
        return done();
    }

    /** Ends what cannot be run, and writes the reason into the document as it is. */
    CompletableFuture<Void> refuse(Turn turn, Arrival arrival, String reason, boolean isEnded) {
        String id = arrival.id();
        String home = home(arrival);
        turn.say(() -> LOG.warn("Node {}: document {} cannot be run: {}", node, OneLine.of(id), OneLine.of(reason)));
        if (documents.writes(home)) {
            ledger.published(turn.tx(), id, arrival.seen());
        }
        ObjectNode shown = arrival.leaf().body();
        ObjectNode verdict = isEnded
                ? NOTHING_TO_SAY
                : arrival.isLive() ? DocumentWriter.verdict(reason, shown) : DocumentWriter.verdict(reason);
        return refuse(turn, arrival, verdict);
    }

    /** Another plan had the same id, and loses against one that has ended: that is said where it can be seen. */
    CompletableFuture<Void> lost(Turn turn, Arrival arrival, String reason) {
        ObjectNode shown = arrival.leaf().body();
        if (!assignment.judges(homeOf(shown), true)) {
            return broken(turn, arrival, reason, true);
        }
        turn.say(() -> LOG.warn(
                "Node {}: another document with the id {} cannot be run: {}",
                node,
                OneLine.of(arrival.id()),
                OneLine.of(reason)));
        if (documents.writes(home(arrival))) {
            ledger.published(turn.tx(), arrival.id(), arrival.seen());
        }
        return refuse(turn, arrival, DocumentWriter.remark(reason, shown));
    }

    private CompletableFuture<Void> refuse(Turn turn, Arrival arrival, ObjectNode verdict) {
        String id = arrival.id();
        String home = home(arrival);
        documents.save(turn, id, Entry.refused(verdict, home, arrival.last()));
        documents.send(turn, id, home);
        settlement.stopRunning(turn, id);
        return arrival.isLive()
                ? settlement.stop(turn, documents.kept(arrival.entry().orElseThrow()))
                : done();
    }

    /**
     * There is no job in it any more, and nothing to be said: what CouchDB has stays as it is, but for what conflicts.
     * Unless this has been seen before: then what was to be said of it is still on its way.
     */
    CompletableFuture<Void> over(Turn turn, Arrival arrival) {
        Optional<String> home = arrival.entry().map(Entry::home).filter(documents::writes);
        if (home.isEmpty()) {
            return done();
        }
        boolean isSeen = arrival.is(Entry.Standing.REFUSED) && arrival.isSeen();
        ledger.published(turn.tx(), arrival.id(), arrival.seen());
        if (!isSeen) {
            documents.save(turn, arrival.id(), Entry.refused(NOTHING_TO_SAY, home.get(), arrival.entry()));
        }
        if (!arrival.losers().isEmpty()) {
            documents.send(turn, arrival.id(), home.get());
        } else if (!isSeen) {
            ledger.outbox().keep(turn.tx(), node, arrival.id());
        }
        return done();
    }

    /** It is for another node to say so: until it has, what a person has made of the document is not written over. */
    private void spoilt(Turn turn, Arrival arrival) {
        if (documents.writes(home(arrival))) {
            ledger.published(turn.tx(), arrival.id(), arrival.spoilt());
            ledger.outbox().keep(turn.tx(), node, arrival.id());
        }
    }

    private String home(Arrival arrival) {
        return arrival.last()
                .map(Entry::home)
                .orElseGet(() -> homeOf(arrival.leaf().body()));
    }

    private String homeOf(ObjectNode body) {
        String creator = body.path("creator").asString("");
        return cluster.nodes().contains(creator) ? creator : assignment.homeOfStrangers();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
