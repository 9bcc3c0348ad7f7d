package dev.couchjobs.bridge.internal.intake;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Merge;
import dev.couchjobs.bridge.internal.document.Merged;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.document.RevisionPolicy;
import dev.couchjobs.bridge.internal.document.StepRun;
import dev.couchjobs.bridge.internal.steps.RunningActions;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.store.PublishedState;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.DocumentStore;
import dev.couchjobs.bridge.internal.transaction.StepAssignment;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in what CouchDB says of documents: joins it with what is kept, and does what follows from it, which may be
 * nothing, a step to be run, or the end of a job.
 */
public final class DocumentProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(DocumentProcessor.class);

    private final String node;
    private final BridgeStore store;
    private final StepAssignment assignment;
    private final DocumentReader reader;
    private final DocumentStore documents;
    private final JobReconciler reconciler;
    private final RefusedDocuments refusedDocuments;

    public DocumentProcessor(
            BridgeContext context, StepAssignment assignment, DocumentStore documents, RunningActions actions) {
        this.node = context.node();
        this.store = context.store();
        this.reader = new DocumentReader(context.cluster());
        this.assignment = assignment;
        this.documents = documents;
        this.reconciler = new JobReconciler(context, assignment, documents, actions);
        this.refusedDocuments = new RefusedDocuments(context, assignment, documents, reconciler);
    }

    /**
     * Takes in what this node's CouchDB has of documents.
     *
     * @param asked what was known of them before they were read
     * @return those that have to be read again, since this node has written to them meanwhile
     */
    CompletableFuture<List<String>> takeAll(
            BridgeTransaction transaction, List<StoredDocument> stored, Map<String, Optional<PublishedState>> asked) {
        List<String> stale = Collections.synchronizedList(new ArrayList<>());
        return CompletableFuture.allOf(stored.stream()
                        .map(document ->
                                take(transaction, document, asked.getOrDefault(document.id(), Optional.empty()), stale))
                        .toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> stale);
    }

    private CompletableFuture<Void> take(
            BridgeTransaction transaction, StoredDocument stored, Optional<PublishedState> asked, List<String> stale) {
        String id = stored.id();
        if (!BridgeStore.isWithinLimit(id)) {
            refusedDocuments.tooLarge(transaction, stored);
            return done();
        }
        if (stored.leaves().isEmpty()) { // not there yet, as on a node that others replicate to
            store.outbox().keep(transaction.tx(), node, id);
            return done();
        }
        return documents
                .find(transaction, id)
                .thenCombine(
                        store.published(transaction.tx(), id),
                        (entry, published) -> IncomingDocument.of(stored, entry, published))
                .thenCompose(incoming -> {
                    if (incoming.isStale(asked)) {
                        stale.add(id);
                        return done();
                    }
                    return take(transaction, incoming);
                });
    }

    private CompletableFuture<Void> take(BridgeTransaction transaction, IncomingDocument arrived) {
        if (arrived.leaf().isDeleted()) {
            return deleted(transaction, arrived);
        }
        ParsedDocument parsedDocument = reader.read(arrived.leaf().body());
        IncomingDocument incoming = isOther(arrived, parsedDocument) ? arrived.anew() : arrived;
        if (incoming.is(DocumentEntry.DocumentRole.DELETED)) { // it is deleted where that counts, and here it will be
            return done();
        }
        if (parsedDocument instanceof ParsedDocument.Job job) {
            return incoming.is(DocumentEntry.DocumentRole.REFUSED)
                    ? refusedDocuments.over(transaction, incoming)
                    : job(transaction, incoming, job.document());
        }
        if (parsedDocument instanceof ParsedDocument.Broken broken && broken.kind() == DocumentKind.JOB) {
            return refusedDocuments.broken(transaction, incoming, broken.reason(), broken.isEnded());
        }
        return incoming.isLive()
                ? refusedDocuments.broken(transaction, incoming, "this is no job document any more", false)
                : refusedDocuments.over(transaction, incoming);
    }

    /** Whether a document is another one by now: made again after it was deleted, or mended after it was refused. */
    private boolean isOther(IncomingDocument incoming, ParsedDocument parsedDocument) {
        if (incoming.is(DocumentEntry.DocumentRole.DELETED)) {
            return documents.writes(incoming.entry().orElseThrow().home());
        }
        return incoming.is(DocumentEntry.DocumentRole.REFUSED)
                && parsedDocument instanceof ParsedDocument.Job job
                && !job.document().isEnded()
                && !incoming.isSeen();
    }

    private CompletableFuture<Void> deleted(BridgeTransaction transaction, IncomingDocument incoming) {
        if (incoming.entry().isEmpty() || incoming.is(DocumentEntry.DocumentRole.DELETED)) {
            return done();
        }
        DocumentEntry kept = incoming.entry().get();
        if (!documents.writes(kept.home())) { // another version may prevail where it is written
            return done();
        }
        String id = incoming.id();
        transaction.say(() -> LOG.info(
                "Node {}: document {} was deleted{}", node, OneLine.of(id), kept.isLive() ? "; its job ends" : ""));
        store.published(transaction.tx(), id, incoming.seen().withoutLosers());
        store.outbox().keep(transaction.tx(), node, id);
        documents.save(transaction, id, kept.with(kept.body(), DocumentEntry.DocumentRole.DELETED));
        reconciler.stopRunning(transaction, id);
        return kept.isLive() ? reconciler.stop(transaction, documents.kept(kept)) : done();
    }

    private CompletableFuture<Void> job(BridgeTransaction transaction, IncomingDocument incoming, JobDocument shown) {
        Merged seen = joined(incoming, shown);
        Optional<JobDocument> before = incoming.last().flatMap(this::job);
        Merged merged = seen instanceof Merged.Joined all && before.isPresent()
                ? Merge.join(before.get(), all.document())
                : seen;
        if (seen instanceof Merged.Joined all && merged instanceof Merged.Joined now) {
            Optional<String> unknown = unknownEnd(incoming, before, all.document());
            if (unknown.isPresent()) {
                return before.isPresent()
                        ? refusedDocuments.refuse(transaction, incoming, unknown.get(), false)
                        : refusedDocuments.broken(transaction, incoming, unknown.get(), false);
            }
            return goOn(transaction, incoming, shown, all.document(), now.document());
        }
        String reason = ((Merged.PlansDiffer) merged).reason();
        if (seen instanceof Merged.PlansDiffer && shown.isEnded()) {
            return refusedDocuments.lost(transaction, incoming, reason);
        }
        // What was given up here may have been refused by its creator, which goes on with the plan that it knows.
        boolean mayBeOther = before.filter(known -> !known.isEnded() || (known.isGivenUp() && !known.hasBegunOn(node)))
                .isPresent();
        return seen instanceof Merged.Joined && mayBeOther
                ? changed(transaction, incoming, shown, before.orElseThrow(), reason)
                : refusedDocuments.broken(transaction, incoming, reason, shown.isEnded());
    }

    /**
     * {@return what is wrong with an end of a step that no bridge has written; empty if there is none} A node knows
     * what it has ended before CouchDB does, so an end of its own that it does not know was written by hand. Of a
     * document that it does not know it may have known more before it lost its ledger; but to a first revision no
     * bridge has written anything. A document that also says how the job has ended was ended by a person, and is
     * believed.
     */
    private Optional<String> unknownEnd(IncomingDocument incoming, Optional<JobDocument> before, JobDocument seen) {
        if (!incoming.leaf().body().path("job_status").asString("").isEmpty()
                || before.filter(JobDocument::isEnded).isPresent()
                || (before.isEmpty() && incoming.leaf().generation() > 1)) {
            return Optional.empty();
        }
        for (int step = 0; step < seen.plan().steps().size(); step++) {
            for (Map.Entry<String, StepRun> run :
                    seen.step(step).progress().runs().entrySet()) {
                boolean isKnown = before.isPresent() && before.get().step(step).hasEndedOn(run.getKey());
                boolean isForUs = before.isEmpty() || assignment.mayReportStopOf(run.getKey());
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
    private Optional<JobDocument> job(DocumentEntry entry) {
        return entry.knownJob()
                .flatMap(body -> documents.read(body) instanceof ParsedDocument.Job job
                        ? Optional.of(job.document())
                        : Optional.empty());
    }

    private CompletableFuture<Void> goOn(
            BridgeTransaction transaction,
            IncomingDocument incoming,
            JobDocument shown,
            JobDocument seen,
            JobDocument now) {
        Optional<Kept> before = incoming.entry().map(documents::kept);
        Kept after = before.map(kept -> kept.with(now))
                .orElseGet(() -> new Kept(
                        now,
                        DocumentEntry.live(incoming.leaf().body(), now.plan().creator())));
        String home = after.entry().home();
        boolean writes = documents.writes(home);
        if (writes) {
            store.published(transaction.tx(), incoming.id(), incoming.seen());
        }
        return reconciler.settle(transaction, before, after).thenAccept(settled -> {
            boolean hasLosers = !incoming.losers().isEmpty() && home.equals(node);
            boolean isBehind =
                    hasLosers || RevisionPolicy.between(home.equals(node) ? shown : seen, settled.document());
            boolean isWorthRevision = !settled.document().equals(now); // which others may have to write
            if (isWorthRevision || (isBehind && writes)) {
                documents.send(transaction, incoming.id(), home);
            }
        });
    }

    /**
     * A person has given a job another plan, which the creator refuses if it knows the first. If it does not, who has
     * begun something of that has to say so; and where nothing of it has happened yet, or it was given up, the job is
     * the other one.
     */
    private CompletableFuture<Void> changed(
            BridgeTransaction transaction,
            IncomingDocument incoming,
            JobDocument shown,
            JobDocument before,
            String reason) {
        String home = incoming.last().orElseThrow().home();
        boolean creatorKnows = assignment.isAuthorityFor(home, true)
                || !documents.writes(home); // itself, or by the ledger that all share
        if (!creatorKnows && before.hasBegunOn(node)) {
            return refusedDocuments.refuse(transaction, incoming, reason, shown.isEnded());
        }
        if (!creatorKnows && (before.isEnded() || before.isUntouched())) {
            Optional<Kept> live = incoming.entry().filter(DocumentEntry::isLive).map(documents::kept);
            CompletableFuture<Void> stopped = live.isPresent() ? reconciler.stop(transaction, live.get()) : done();
            return stopped.thenCompose(nothing -> job(transaction, incoming.unknown(), shown));
        }
        return refusedDocuments.broken(transaction, incoming, reason, shown.isEnded());
    }

    private Merged joined(IncomingDocument incoming, JobDocument shown) {
        Merged all = new Merged.Joined(shown);
        for (Leaf leaf : incoming.losers()) {
            // It was right where it was written, and is about to be deleted.
            if (all instanceof Merged.Joined so && documents.read(leaf.body()) instanceof ParsedDocument.Job job) {
                all = Merge.join(so.document(), job.document());
            }
        }
        return all;
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
