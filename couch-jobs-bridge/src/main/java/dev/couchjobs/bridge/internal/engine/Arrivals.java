package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.Cluster;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Merge;
import dev.couchjobs.bridge.internal.document.Merged;
import dev.couchjobs.bridge.internal.document.Reading;
import dev.couchjobs.bridge.internal.engine.Assignment.Kept;
import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import dev.couchjobs.bridge.internal.ledger.Published;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Takes in what CouchDB says of documents: joins it with what is kept, and sees to what follows from it, which may be nothing,
 * a step to be run, or the end of a job.
 */
final class Arrivals {
    private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);

    private static final ObjectNode NOTHING_TO_SAY = JsonNodeFactory.instance.objectNode();

    private final String node;
    private final Ledger ledger;
    private final CouchDatabase couch;
    private final Assignment assignment;
    private final Cluster cluster;
    private final DocumentReader reader;
    private final Documents documents;
    private final Settlement settlement;

    Arrivals(BridgeContext context, Assignment assignment, Documents documents, Running running) {
        this.node = context.node();
        this.ledger = context.ledger();
        this.couch = context.couch();
        this.cluster = context.cluster();
        this.reader = new DocumentReader(cluster);
        this.assignment = assignment;
        this.documents = documents;
        this.settlement = new Settlement(context, assignment, documents, running);
    }

    /**
     * Takes in what this node's CouchDB has of documents.
     *
     * @param asked what was known of them before they were read
     * @return those that have to be read again, since this node has written to them meanwhile
     */
    CompletableFuture<List<String>> takeAll(
            Turn turn, List<StoredDocument> stored, Map<String, Optional<Published>> asked) {
        List<String> stale = Collections.synchronizedList(new ArrayList<>());
        return CompletableFuture.allOf(stored.stream()
                        .map(document ->
                                take(turn, document, asked.getOrDefault(document.id(), Optional.empty()), stale))
                        .toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> stale);
    }

    private CompletableFuture<Void> take(
            Turn turn, StoredDocument stored, Optional<Published> asked, List<String> stale) {
        String id = stored.id();
        if (!Ledger.isBearable(id)) {
            return unkept(turn, stored);
        }
        if (stored.leaves().isEmpty()) { // not there yet, as on a node that others replicate to
            ledger.outbox().keep(turn.tx(), node, id);
            return done();
        }
        return documents
                .find(turn, id)
                .thenCombine(
                        ledger.published(turn.tx(), id),
                        (entry, published) -> new Known(entry, published, Optional.empty()))
                .thenCompose(known -> {
                    if (known.hasGoneOnFrom(asked, stored.leaves().get(0))) {
                        stale.add(id);
                        return done();
                    }
                    return take(turn, stored, known);
                });
    }

    /** Nothing can be kept of a document with such an id, so it is told at once what is wrong with it. */
    private CompletableFuture<Void> unkept(Turn turn, StoredDocument stored) {
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
        return done();
    }

    /** What is known of a document before it is looked at. */
    private record Known(Optional<Entry> entry, Optional<Published> published, Optional<ObjectNode> before) {

        /** This, for a document that is taken for a new one; what was done of the job before is not done again. */
        Known asNew() {
            return new Known(Optional.empty(), published, entry.flatMap(Entry::job));
        }

        /** Whether what was read may be older than what was written since somebody asked for it. */
        boolean hasGoneOnFrom(Optional<Published> asked, Leaf leaf) {
            return !published.equals(asked)
                    && published
                            .filter(last -> last.generation() > leaf.generation())
                            .isPresent();
        }

        boolean hasSeen(Leaf leaf) {
            return published
                    .filter(last -> last.revision().equals(leaf.revision()))
                    .isPresent();
        }

        boolean is(Entry.Standing standing) {
            return entry.filter(kept -> kept.standing() == standing).isPresent();
        }

        boolean isLive() {
            return is(Entry.Standing.LIVE);
        }
    }

    private CompletableFuture<Void> take(Turn turn, StoredDocument stored, Known known) {
        Leaf winner = stored.leaves().get(0);
        if (winner.isDeleted()) {
            return deleted(turn, stored.id(), winner, known);
        }
        Reading reading = reader.read(winner.body());
        boolean isReplaced = isReplaced(stored, reading, known);
        Known kept = isReplaced ? known.asNew() : known;
        if (kept.is(Entry.Standing.DELETED)) { // it is deleted where that counts, and here it will be
            return done();
        }
        if (reading instanceof Reading.Job job) {
            return kept.is(Entry.Standing.REFUSED) ? over(turn, stored, kept) : job(turn, stored, job.document(), kept);
        }
        if (reading instanceof Reading.Broken broken && broken.kind() == DocumentKind.JOB) {
            return broken(turn, stored, broken.reason(), broken.isEnded(), kept);
        }
        return kept.isLive()
                ? broken(turn, stored, "this is no job document any more", false, kept)
                : over(turn, stored, kept);
    }

    /** Whether a document is another one by now: made again after it was deleted, or mended after it was refused. */
    private boolean isReplaced(StoredDocument stored, Reading reading, Known known) {
        if (known.is(Entry.Standing.DELETED)) {
            return writes(known.entry().orElseThrow().home());
        }
        return known.is(Entry.Standing.REFUSED)
                && reading instanceof Reading.Job job
                && !job.document().isEnded()
                && !known.hasSeen(stored.leaves().get(0));
    }

    private boolean writes(String home) {
        return assignment.writer(home).equals(node);
    }

    private CompletableFuture<Void> deleted(Turn turn, String id, Leaf tombstone, Known known) {
        if (known.entry().isEmpty() || known.is(Entry.Standing.DELETED)) {
            return done();
        }
        Entry kept = known.entry().get();
        if (!writes(kept.home())) { // another version may prevail where it is written
            return done();
        }
        turn.say(() -> LOG.info(
                "Node {}: document {} was deleted{}", node, OneLine.of(id), kept.isLive() ? "; its job ends" : ""));
        ledger.published(turn.tx(), id, published(tombstone, List.of()));
        ledger.outbox().keep(turn.tx(), node, id);
        documents.save(turn, id, kept.with(kept.body(), Entry.Standing.DELETED));
        settlement.stopRunning(turn, id);
        return kept.isLive() ? settlement.stop(turn, documents.kept(kept)) : done();
    }

    /**
     * There is no job in it any more, and nothing to be said: what CouchDB has stays as it is, but for what conflicts. Unless
     * this has been seen before: then what was to be said of it is still on its way.
     */
    private CompletableFuture<Void> over(Turn turn, StoredDocument stored, Known known) {
        if (known.entry().isPresent() && writes(known.entry().get().home())) {
            Entry kept = known.entry().get();
            Leaf winner = stored.leaves().get(0);
            boolean isSeen = known.is(Entry.Standing.REFUSED) && known.hasSeen(winner);
            boolean hasLosers = stored.leaves().size() > 1;
            ledger.published(turn.tx(), stored.id(), published(winner, losers(stored)));
            if (!isSeen) {
                documents.save(turn, stored.id(), Entry.refused(NOTHING_TO_SAY, kept.home(), known.entry()));
            }
            if (hasLosers) {
                documents.send(turn, stored.id(), kept.home());
            } else if (!isSeen) {
                ledger.outbox().keep(turn.tx(), node, stored.id());
            }
        }
        return done();
    }

    /** Ends what cannot be run, if that is for this node to say, and writes the reason into the document as it is. */
    private CompletableFuture<Void> broken(
            Turn turn, StoredDocument stored, String reason, boolean isEnded, Known known) {
        Leaf leaf = stored.leaves().get(0);
        String id = stored.id();
        String home = known.entry().map(Entry::home).orElseGet(() -> homeOf(leaf.body()));
        if (isEnded && !known.isLive()) {
            return over(turn, stored, known);
        }
        // Who judges may have said so to all before this node has heard of it.
        boolean isMine = assignment.judges(home, known.entry().isPresent());
        if (!isEnded && !isMine) {
            spoilt(turn, id, leaf, home);
            return done();
        }
        turn.say(() -> LOG.warn("Node {}: document {} cannot be run: {}", node, OneLine.of(id), OneLine.of(reason)));
        if (writes(home)) {
            ledger.published(turn.tx(), id, published(leaf, losers(stored)));
        }
        ObjectNode verdict = isEnded ? NOTHING_TO_SAY : DocumentWriter.verdict(reason);
        documents.save(turn, id, Entry.refused(verdict, home, known.entry()));
        documents.send(turn, id, home);
        settlement.stopRunning(turn, id);
        return known.isLive()
                ? settlement.stop(turn, documents.kept(known.entry().orElseThrow()))
                : done();
    }

    /** It is for another node to say so: until it has, what a person has made of the document is not written over. */
    private void spoilt(Turn turn, String id, Leaf leaf, String home) {
        if (writes(home)) {
            Published last = published(leaf, List.of());
            ledger.published(
                    turn.tx(), id, new Published(last.revision(), last.content(), List.of(), last.attachments(), true));
            ledger.outbox().keep(turn.tx(), node, id);
        }
    }

    private static List<String> losers(StoredDocument stored) {
        return stored.leaves().stream().skip(1).map(Leaf::revision).toList();
    }

    private String homeOf(ObjectNode body) {
        String creator = body.path("creator").asString("");
        return cluster.nodes().contains(creator) ? creator : assignment.homeOfStrangers();
    }

    private CompletableFuture<Void> job(Turn turn, StoredDocument stored, JobDocument shown, Known known) {
        Leaf winner = stored.leaves().get(0);
        Merged seen = withBefore(joined(stored, shown), known.before());
        Optional<Kept> before = known.entry().map(documents::kept);
        Merged merged = seen instanceof Merged.Joined all && before.isPresent()
                ? Merge.join(before.get().document(), all.document())
                : seen;
        if (merged instanceof Merged.PlansDiffer differ) {
            return broken(turn, stored, differ.reason(), shown.isEnded(), known);
        }
        JobDocument now = ((Merged.Joined) merged).document();
        Kept after = before.map(kept -> kept.with(now))
                .orElseGet(
                        () -> new Kept(now, Entry.live(winner.body(), now.plan().creator())));
        boolean writes = writes(after.entry().home());
        if (writes) {
            ledger.published(turn.tx(), stored.id(), published(winner, losers(stored)));
        }
        return settlement.settle(turn, before, after).thenAccept(settled -> {
            JobDocument said = after.entry().home().equals(node) ? shown : ((Merged.Joined) seen).document();
            boolean hasLosers =
                    stored.leaves().size() > 1 && after.entry().home().equals(node);
            boolean isBehind = hasLosers || News.between(said, settled.document());
            boolean isNews = !settled.document().equals(now); // which others may have to write
            if (isNews || (isBehind && writes)) {
                documents.send(turn, stored.id(), after.entry().home());
            }
        });
    }

    /** Another plan under that id is another job. */
    private Merged withBefore(Merged seen, Optional<ObjectNode> before) {
        return before.isPresent()
                        && seen instanceof Merged.Joined now
                        && documents.read(before.get()) instanceof Reading.Job job
                        && Merge.join(now.document(), job.document()) instanceof Merged.Joined both
                ? both
                : seen;
    }

    private Merged joined(StoredDocument stored, JobDocument shown) {
        Merged all = new Merged.Joined(shown);
        for (Leaf leaf : stored.leaves().subList(1, stored.leaves().size())) {
            // It was right where it was written, and is about to be deleted.
            if (all instanceof Merged.Joined so && documents.read(leaf.body()) instanceof Reading.Job job) {
                all = Merge.join(so.document(), job.document());
            }
        }
        return all;
    }

    private static Published published(Leaf leaf, List<String> losers) {
        Optional<ObjectNode> attachments = leaf.body()
                .optional("_attachments")
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast);
        return new Published(leaf.revision(), Digests.of(leaf.body()), losers, attachments, false);
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
