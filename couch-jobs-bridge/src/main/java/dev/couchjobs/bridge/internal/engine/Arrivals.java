package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Merge;
import dev.couchjobs.bridge.internal.document.Merged;
import dev.couchjobs.bridge.internal.document.Reading;
import dev.couchjobs.bridge.internal.document.Run;
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

/**
 * Takes in what CouchDB says of documents: joins it with what is kept, and sees to what follows from it, which may be
 * nothing, a step to be run, or the end of a job.
 */
final class Arrivals {
    private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);

    private final String node;
    private final Ledger ledger;
    private final Assignment assignment;
    private final DocumentReader reader;
    private final Documents documents;
    private final Settlement settlement;
    private final Refusals refusals;

    Arrivals(BridgeContext context, Assignment assignment, Documents documents, Running running) {
        this.node = context.node();
        this.ledger = context.ledger();
        this.reader = new DocumentReader(context.cluster());
        this.assignment = assignment;
        this.documents = documents;
        this.settlement = new Settlement(context, assignment, documents, running);
        this.refusals = new Refusals(context, assignment, documents, settlement);
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
            refusals.unbearable(turn, stored);
            return done();
        }
        if (stored.leaves().isEmpty()) { // not there yet, as on a node that others replicate to
            ledger.outbox().keep(turn.tx(), node, id);
            return done();
        }
        return documents
                .find(turn, id)
                .thenCombine(
                        ledger.published(turn.tx(), id), (entry, published) -> Arrival.of(stored, entry, published))
                .thenCompose(arrival -> {
                    if (arrival.isStale(asked)) {
                        stale.add(id);
                        return done();
                    }
                    return take(turn, arrival);
                });
    }

    private CompletableFuture<Void> take(Turn turn, Arrival arrived) {
        if (arrived.leaf().isDeleted()) {
            return deleted(turn, arrived);
        }
        Reading reading = reader.read(arrived.leaf().body());
        Arrival arrival = isOther(arrived, reading) ? arrived.anew() : arrived;
        if (arrival.is(Entry.Standing.DELETED)) { // it is deleted where that counts, and here it will be
            return done();
        }
        if (reading instanceof Reading.Job job) {
            return arrival.is(Entry.Standing.REFUSED)
                    ? refusals.over(turn, arrival)
                    : job(turn, arrival, job.document());
        }
        if (reading instanceof Reading.Broken broken && broken.kind() == DocumentKind.JOB) {
            return refusals.broken(turn, arrival, broken.reason(), broken.isEnded());
        }
        return arrival.isLive()
                ? refusals.broken(turn, arrival, "this is no job document any more", false)
                : refusals.over(turn, arrival);
    }

    /** Whether a document is another one by now: made again after it was deleted, or mended after it was refused. */
    private boolean isOther(Arrival arrival, Reading reading) {
        if (arrival.is(Entry.Standing.DELETED)) {
            return documents.writes(arrival.entry().orElseThrow().home());
        }
        return arrival.is(Entry.Standing.REFUSED)
                && reading instanceof Reading.Job job
                && !job.document().isEnded()
                && !arrival.isSeen();
    }

    private CompletableFuture<Void> deleted(Turn turn, Arrival arrival) {
        if (arrival.entry().isEmpty() || arrival.is(Entry.Standing.DELETED)) {
            return done();
        }
        Entry kept = arrival.entry().get();
        if (!documents.writes(kept.home())) { // another version may prevail where it is written
            return done();
        }
        String id = arrival.id();
        turn.say(() -> LOG.info(
                "Node {}: document {} was deleted{}", node, OneLine.of(id), kept.isLive() ? "; its job ends" : ""));
        ledger.published(turn.tx(), id, arrival.seen().withoutLosers());
        ledger.outbox().keep(turn.tx(), node, id);
        documents.save(turn, id, kept.with(kept.body(), Entry.Standing.DELETED));
        settlement.stopRunning(turn, id);
        return kept.isLive() ? settlement.stop(turn, documents.kept(kept)) : done();
    }

    private CompletableFuture<Void> job(Turn turn, Arrival arrival, JobDocument shown) {
        Merged seen = joined(arrival, shown);
        Optional<JobDocument> before = arrival.last().flatMap(this::job);
        Merged merged = seen instanceof Merged.Joined all && before.isPresent()
                ? Merge.join(before.get(), all.document())
                : seen;
        if (seen instanceof Merged.Joined all && merged instanceof Merged.Joined now) {
            Optional<String> unknown = unknownEnd(arrival, before, all.document());
            if (unknown.isPresent()) {
                return before.isPresent()
                        ? refusals.refuse(turn, arrival, unknown.get(), false)
                        : refusals.broken(turn, arrival, unknown.get(), false);
            }
            return goOn(turn, arrival, shown, all.document(), now.document());
        }
        String reason = ((Merged.PlansDiffer) merged).reason();
        if (seen instanceof Merged.PlansDiffer && shown.isEnded()) {
            return refusals.lost(turn, arrival, reason);
        }
        // What was given up here may have been refused by its creator, which goes on with the plan that it knows.
        boolean mayBeOther = before.filter(known -> !known.isEnded() || (known.isGivenUp() && !known.hasBegunOn(node)))
                .isPresent();
        return seen instanceof Merged.Joined && mayBeOther
                ? changed(turn, arrival, shown, before.orElseThrow(), reason)
                : refusals.broken(turn, arrival, reason, shown.isEnded());
    }

    /**
     * {@return what is wrong with an end of a step that no bridge has written; empty if there is none} A node knows
     * what it has ended before CouchDB does, so an end of its own that it does not know was written by hand. Of a
     * document that it does not know it may have known more before it lost its ledger; but to a first revision no
     * bridge has written anything. A document that also says how the job has ended was ended by a person, and is
     * believed.
     */
    private Optional<String> unknownEnd(Arrival arrival, Optional<JobDocument> before, JobDocument seen) {
        if (!arrival.leaf().body().path("job_status").asString("").isEmpty()
                || before.filter(JobDocument::isEnded).isPresent()
                || (before.isEmpty() && arrival.leaf().generation() > 1)) {
            return Optional.empty();
        }
        for (int step = 0; step < seen.plan().steps().size(); step++) {
            for (Map.Entry<String, Run> run : seen.step(step).progress().runs().entrySet()) {
                boolean isKnown = before.isPresent() && before.get().step(step).hasEndedOn(run.getKey());
                boolean isForUs = before.isEmpty() || assignment.speaksFor(run.getKey());
                if (!run.getValue().isRunning() && isForUs && !isKnown) {
                    return Optional.of("job[" + step + "].step_status: says that node " + run.getKey()
                            + " has ended the step, and no bridge has written that; make a new document without the"
                            + " steps that"
                            + " are done");
                }
            }
        }
        return Optional.empty();
    }

    /**
     * A job keeps its plan also while it is refused: other nodes may still hold it, and would wait for its end for
     * ever.
     */
    private Optional<JobDocument> job(Entry entry) {
        return entry.knownJob()
                .flatMap(body -> documents.read(body) instanceof Reading.Job job
                        ? Optional.of(job.document())
                        : Optional.empty());
    }

    private CompletableFuture<Void> goOn(
            Turn turn, Arrival arrival, JobDocument shown, JobDocument seen, JobDocument now) {
        Optional<Kept> before = arrival.entry().map(documents::kept);
        Kept after = before.map(kept -> kept.with(now))
                .orElseGet(() -> new Kept(
                        now, Entry.live(arrival.leaf().body(), now.plan().creator())));
        String home = after.entry().home();
        boolean writes = documents.writes(home);
        if (writes) {
            ledger.published(turn.tx(), arrival.id(), arrival.seen());
        }
        return settlement.settle(turn, before, after).thenAccept(settled -> {
            boolean hasLosers = !arrival.losers().isEmpty() && home.equals(node);
            boolean isBehind = hasLosers || News.between(home.equals(node) ? shown : seen, settled.document());
            boolean isNews = !settled.document().equals(now); // which others may have to write
            if (isNews || (isBehind && writes)) {
                documents.send(turn, arrival.id(), home);
            }
        });
    }

    /**
     * A person has given a job another plan, which the creator refuses if it knows the first. If it does not, who has
     * begun something of that has to say so; and where nothing of it has happened yet, or it was given up, the job is
     * the other one.
     */
    private CompletableFuture<Void> changed(
            Turn turn, Arrival arrival, JobDocument shown, JobDocument before, String reason) {
        String home = arrival.last().orElseThrow().home();
        boolean creatorKnows =
                assignment.judges(home, true) || !documents.writes(home); // itself, or by the ledger that all share
        if (!creatorKnows && before.hasBegunOn(node)) {
            return refusals.refuse(turn, arrival, reason, shown.isEnded());
        }
        if (!creatorKnows && (before.isEnded() || before.isUntouched())) {
            Optional<Kept> live = arrival.entry().filter(Entry::isLive).map(documents::kept);
            CompletableFuture<Void> stopped = live.isPresent() ? settlement.stop(turn, live.get()) : done();
            return stopped.thenCompose(nothing -> job(turn, arrival.unknown(), shown));
        }
        return refusals.broken(turn, arrival, reason, shown.isEnded());
    }

    private Merged joined(Arrival arrival, JobDocument shown) {
        Merged all = new Merged.Joined(shown);
        for (Leaf leaf : arrival.losers()) {
            // It was right where it was written, and is about to be deleted.
            if (all instanceof Merged.Joined so && documents.read(leaf.body()) instanceof Reading.Job job) {
                all = Merge.join(so.document(), job.document());
            }
        }
        return all;
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
