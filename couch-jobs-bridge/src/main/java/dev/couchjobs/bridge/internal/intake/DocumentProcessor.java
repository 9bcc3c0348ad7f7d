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

/** Joins documents from CouchDB into the store, and adds, changes or stops their jobs accordingly. */
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
     * Joins what this node's CouchDB contains of documents.
     *
     * @param asked what the store contained of them before they were read
     * @return the documents to read again, because this node has written them meanwhile
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
        if (stored.leaves().isEmpty()) { // not replicated to this node yet
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
        if (incoming.is(DocumentEntry.DocumentRole.DELETED)) { // its writer has deleted it, and replication will
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
                ? refusedDocuments.broken(transaction, incoming, "this is no longer a job document", false)
                : refusedDocuments.over(transaction, incoming);
    }

    /** Whether this is a new document: created again after a deletion, or corrected after a refusal. */
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
        if (!documents.writes(kept.home())) { // another version may win on the node that writes it
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
                ? joined(incoming, before.get(), all.document())
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
        // A job that was given up on this node may continue elsewhere: its creator node may have refused the new plan.
        boolean mayBeOther = before.filter(known -> !known.isEnded() || (known.isGivenUp() && !known.hasBegunOn(node)))
                .isPresent();
        return seen instanceof Merged.Joined && mayBeOther
                ? changed(transaction, incoming, shown, before.orElseThrow(), reason)
                : refusedDocuments.broken(transaction, incoming, reason, shown.isEnded());
    }

    /**
     * {@return why the end of a step in the document is refused; empty if it is accepted} A node stores an end before
     * CouchDB contains it. An unknown end on this node was therefore written by a person. If the document is unknown,
     * the node may have lost its store, except for a first revision, which no bridge has written. If the document also
     * says how the job has ended, a person has ended the job, and the end is accepted.
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
                            + " has ended the step, and no bridge has written that; create a new document without"
                            + " the steps that have ended");
                }
            }
        }
        return Optional.empty();
    }

    /** A refused job keeps its plan: other nodes may still run it and wait for its end. */
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
        Kept after = before.map(kept -> prioritised(kept, incoming.leaf(), now).with(now))
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
            boolean isWorthRevision = !settled.document().equals(now); // another node may have to write it
            if (isWorthRevision || (isBehind && writes)) {
                documents.send(transaction, incoming.id(), home);
            }
        });
    }

    /** {@return the former entry, with the priority in the form in which CouchDB has it} */
    private static Kept prioritised(Kept before, Leaf leaf, JobDocument now) {
        return before.document().plan().priority() == now.plan().priority()
                ? before
                : before.with(before.entry().prioritised(leaf.body()));
    }

    /**
     * Handles a plan that a person has changed. The creator node refuses it if it knows the first plan. If it does not,
     * a node that has begun a step refuses it. On any other node the new plan replaces one that was not begun or was
     * given up.
     */
    private CompletableFuture<Void> changed(
            BridgeTransaction transaction,
            IncomingDocument incoming,
            JobDocument shown,
            JobDocument before,
            String reason) {
        String home = incoming.last().orElseThrow().home();
        boolean creatorKnows =
                assignment.isAuthorityFor(home, true) || !documents.writes(home); // by itself, or by the shared store
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

    /** Joins what CouchDB contains with what the store does. Only CouchDB tells the priority, to the node that writes. */
    private Merged joined(IncomingDocument incoming, JobDocument before, JobDocument seen) {
        boolean writes = documents.writes(incoming.last().orElseThrow().home());
        int priority = (writes ? seen : before).plan().priority();
        Merged merged = Merge.join(before, seen);
        return merged instanceof Merged.Joined all
                ? new Merged.Joined(all.document().withPriority(priority))
                : merged;
    }

    private Merged joined(IncomingDocument incoming, JobDocument shown) {
        Merged all = new Merged.Joined(shown);
        for (Leaf leaf : incoming.losers()) {
            // The node that wrote a conflicting version accepted it, and this one deletes it: it is read without new
            // checks.
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
