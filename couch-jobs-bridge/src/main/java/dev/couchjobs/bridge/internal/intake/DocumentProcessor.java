package dev.couchjobs.bridge.internal.intake;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Merge;
import dev.couchjobs.bridge.internal.document.Merged;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.document.RevisionPolicy;
import dev.couchjobs.bridge.internal.document.StepRun;
import dev.couchjobs.bridge.internal.document.Verdict;
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
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

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
        if (!BridgeStore.isStorable(id)) {
            refusedDocuments.unstorable(transaction, stored);
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
        // A version that was accepted, or that this node has written, is not judged again.
        boolean isAccepted = arrived.isLive() && arrived.isSeen();
        ObjectNode body = arrived.leaf().body();
        ParsedDocument parsedDocument = isAccepted ? documents.read(body) : reader.read(body);
        IncomingDocument incoming = isOther(arrived, parsedDocument) ? arrived.anew() : arrived;
        if (incoming.is(DocumentEntry.DocumentRole.DELETED)) { // its writer has deleted it, and replication will
            return done();
        }
        if (parsedDocument instanceof ParsedDocument.Job job) {
            return incoming.is(DocumentEntry.DocumentRole.REFUSED)
                    ? refused(transaction, incoming, job.document())
                    : job(transaction, incoming, job);
        }
        if (parsedDocument instanceof ParsedDocument.Broken broken && broken.kind() == DocumentKind.JOB) {
            return broken(transaction, incoming, broken);
        }
        return incoming.isLive()
                ? refusedDocuments.broken(transaction, incoming, "this is no longer a job document", false)
                : refusedDocuments.over(transaction, incoming);
    }

    private CompletableFuture<Void> broken(
            BridgeTransaction transaction, IncomingDocument incoming, ParsedDocument.Broken broken) {
        Optional<JobDocument> ended = endedBefore(incoming);
        if (ended.isPresent() && incoming.leaf().body().hasNonNull("job_status")) {
            Optional<ParsedDocument.Job> mended = DocumentWriter.mended(
                            ended.get(), incoming.leaf().body())
                    .flatMap(this::job)
                    .filter(job -> isOf(ended, job.document()));
            if (mended.isPresent()) {
                return job(
                        transaction,
                        incoming.is(DocumentEntry.DocumentRole.REFUSED) ? incoming.anew() : incoming,
                        mended.get());
            }
            return refusedDocuments.told(
                    transaction,
                    incoming,
                    broken.reason(),
                    DocumentWriter.verdict(broken.reason(), incoming.leaf().body(), ended.get()));
        }
        // A node that has refused the document, or a person who has ended the job, does not write that it has
        // succeeded.
        boolean isEnded = broken.isEnded() && !(incoming.isLive() && saysSuccess(incoming));
        return refusedDocuments.broken(transaction, incoming, broken.reason(), isEnded);
    }

    private static boolean saysSuccess(IncomingDocument incoming) {
        return incoming.leaf().body().path("job_status").asString("").equalsIgnoreCase("success");
    }

    /** Handles a version of a refused document that is readable, and is not the corrected one. */
    private CompletableFuture<Void> refused(
            BridgeTransaction transaction, IncomingDocument incoming, JobDocument shown) {
        Optional<JobDocument> ended = endedBefore(incoming);
        Optional<String> unknown = unknownEnd(incoming, known(incoming), shown);
        if (unknown.isPresent()) { // a version that conflicts with the refusal
            return refusedDocuments.refuse(transaction, incoming, unknown.get(), false);
        }
        return ended.isPresent() && Merge.join(ended.get(), shown) instanceof Merged.PlansDiffer other
                ? told(transaction, incoming, other.reason())
                : refusedDocuments.over(transaction, incoming);
    }

    /** Says in a document that has ended that its plan is not that of the job which has ended. */
    private CompletableFuture<Void> told(BridgeTransaction transaction, IncomingDocument incoming, String reason) {
        return refusedDocuments.told(
                transaction,
                incoming,
                reason,
                DocumentWriter.planRefusal(reason, incoming.leaf().body()));
    }

    /** {@return the job that the document was before, if that has ended} */
    private Optional<JobDocument> endedBefore(IncomingDocument incoming) {
        return incoming.isLive() ? Optional.empty() : known(incoming).filter(JobDocument::isEnded);
    }

    /**
     * Whether this is a new document: created again after a deletion, or corrected after a refusal. Only the node that
     * writes the document knows which version is newer than that.
     */
    private boolean isOther(IncomingDocument incoming, ParsedDocument parsedDocument) {
        if (incoming.entry().filter(entry -> documents.writes(entry.home())).isEmpty()) {
            return false;
        }
        return incoming.is(DocumentEntry.DocumentRole.DELETED)
                || (incoming.is(DocumentEntry.DocumentRole.REFUSED)
                        && parsedDocument instanceof ParsedDocument.Job job
                        && !incoming.isSeen()
                        && (!job.document().isEnded() || isOf(endedBefore(incoming), job.document())));
    }

    private static boolean isOf(Optional<JobDocument> ended, JobDocument shown) {
        return ended.isPresent() && Merge.join(ended.get(), shown) instanceof Merged.Joined;
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

    private CompletableFuture<Void> job(
            BridgeTransaction transaction, IncomingDocument incoming, ParsedDocument.Job read) {
        JobDocument shown = read.document();
        List<ParsedDocument.Job> losers = losers(incoming);
        Merged seen = joined(shown, losers);
        Optional<JobDocument> before = known(incoming);
        Merged merged = seen instanceof Merged.Joined all && before.isPresent()
                ? joined(incoming, before.get(), read, losers, all.document())
                : seen;
        if (seen instanceof Merged.Joined all && merged instanceof Merged.Joined now) {
            Optional<String> unknown = unknownEnd(incoming, before, all.document());
            if (unknown.isPresent()) {
                return before.isPresent()
                        ? refusedDocuments.refuse(transaction, incoming, unknown.get(), false)
                        : refusedDocuments.broken(transaction, incoming, unknown.get(), false);
            }
            return before.isEmpty()
                            && !assignment.believesNewDocuments()
                            && !now.document().isEnded()
                    ? first(transaction, incoming, shown, all.document())
                    : goOn(transaction, incoming, shown, all.document(), now.document());
        }
        String reason = ((Merged.PlansDiffer) merged).reason();
        if (seen instanceof Merged.PlansDiffer && shown.isEnded()) {
            return refusedDocuments.lost(transaction, incoming, reason);
        }
        // A job that was given up on this node may continue elsewhere: its creator node may have refused the new plan.
        boolean mayBeOther = before.filter(known -> !known.isEnded() || (known.isGivenUp() && !known.hasBegunOn(node)))
                .isPresent();
        if (shown.isEnded() && endedBefore(incoming).isPresent()) {
            return told(transaction, incoming, reason);
        }
        return seen instanceof Merged.Joined && mayBeOther
                ? changed(transaction, incoming, read, before.orElseThrow(), reason)
                : refusedDocuments.broken(transaction, incoming, reason, shown.isEnded());
    }

    /** Begins a job that no bridge has begun, whatever progress its document has. */
    private CompletableFuture<Void> first(
            BridgeTransaction transaction, IncomingDocument incoming, JobDocument shown, JobDocument seen) {
        ParsedDocument plan =
                reader.read(DocumentWriter.planOnly(incoming.leaf().body()));
        if (plan instanceof ParsedDocument.Broken broken) { // all nodes are more than the progress has named
            return refusedDocuments.broken(transaction, incoming, broken.reason(), false);
        }
        JobDocument now =
                ((ParsedDocument.Job) plan).document().withPriority(seen.plan().priority());
        return goOn(transaction, incoming, shown, seen, now);
    }

    /**
     * {@return why the end of a step in the document is refused; empty if it is accepted} A node stores an end before
     * CouchDB contains it. An unknown end on this node was therefore written by a person. If the document is unknown,
     * the node may have lost its store, except for a first revision, which no bridge has written, and on a cluster that
     * was not lost. If the document also says how the job has ended, a person has ended the job, and the end is
     * accepted; but a person does not know that a known job has succeeded.
     */
    private Optional<String> unknownEnd(IncomingDocument incoming, Optional<JobDocument> before, JobDocument seen) {
        boolean isEndOfPerson =
                !incoming.leaf().body().path("job_status").asString("").isEmpty()
                        && (before.isEmpty() || !saysSuccess(incoming));
        // The node that writes the document says so.
        boolean isOthers = before.isPresent()
                && assignment.knowsAll()
                && !documents.writes(incoming.last().orElseThrow().home());
        if (isEndOfPerson
                || isOthers
                || before.filter(JobDocument::isEnded).isPresent()
                || (before.isEmpty() && assignment.believesNewDocuments() && isFromBefore(incoming))) {
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

    /** Whether bridges may have written the document before the store was lost. */
    private static boolean isFromBefore(IncomingDocument incoming) {
        return incoming.published().isEmpty() && incoming.leaf().generation() > 1;
    }

    /** A refused job keeps its plan: other nodes may still run it and wait for its end. */
    private Optional<JobDocument> known(IncomingDocument incoming) {
        return incoming.last()
                .flatMap(DocumentEntry::knownJob)
                .flatMap(this::job)
                .map(ParsedDocument.Job::document);
    }

    private Optional<ParsedDocument.Job> job(ObjectNode body) {
        return documents.read(body) instanceof ParsedDocument.Job job ? Optional.of(job) : Optional.empty();
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
            boolean isBehind = hasLosers
                    || isEdited(incoming, shown, settled.document())
                    || isBehind(home.equals(node) ? shown : seen, settled.document());
            boolean isPutBack =
                    incoming.refusal().isPresent() && settled.document().isEnded();
            boolean isWorthRevision = isPutBack || !settled.document().equals(now); // another node may have to write it
            if (isWorthRevision || (isBehind && writes)) {
                documents.send(transaction, incoming.id(), home);
            }
        });
    }

    private boolean isBehind(JobDocument inCouch, JobDocument now) {
        return RevisionPolicy.between(inCouch, assignment.asShown(now, inCouch));
    }

    /**
     * {@return whether a person has edited the document of a job that has ended} Every version of a bridge has the form
     * that bridges write, also one that is older than the store. Without an end the next revision has that form.
     */
    private static boolean isEdited(IncomingDocument incoming, JobDocument shown, JobDocument now) {
        return incoming.last().isPresent()
                && now.isEnded()
                && !DocumentWriter.isWritten(shown, incoming.leaf().body());
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
            ParsedDocument.Job read,
            JobDocument before,
            String reason) {
        boolean isEnded = read.document().isEnded();
        String home = incoming.last().orElseThrow().home();
        boolean creatorKnows =
                assignment.isAuthorityFor(home, true) || !documents.writes(home); // by itself, or by the shared store
        if (!creatorKnows && before.hasBegunOn(node)) {
            return refusedDocuments.refuse(transaction, incoming, reason, isEnded);
        }
        if (!creatorKnows && (before.isEnded() || before.isUntouched())) {
            Optional<Kept> live = incoming.entry().filter(DocumentEntry::isLive).map(documents::kept);
            CompletableFuture<Void> stopped = live.isPresent() ? reconciler.stop(transaction, live.get()) : done();
            return stopped.thenCompose(nothing -> job(transaction, incoming.unknown(), read));
        }
        return refusedDocuments.broken(transaction, incoming, reason, isEnded);
    }

    /** Joins CouchDB's versions with the store. Only CouchDB tells the priority, to the node that writes. */
    private Merged joined(
            IncomingDocument incoming,
            JobDocument before,
            ParsedDocument.Job shown,
            List<ParsedDocument.Job> losers,
            JobDocument seen) {
        boolean writes = documents.writes(incoming.last().orElseThrow().home());
        int priority = (writes ? seen : before).plan().priority();
        Merged merged = Merge.join(before, seen);
        return merged instanceof Merged.Joined all
                ? new Merged.Joined(assignment
                        .believed(before, all.document())
                        .judged(said(before, shown, losers))
                        .withPriority(priority))
                : merged;
    }

    /** {@return the ends that are known, and those that persons may have written; a success follows from the steps} */
    private static Stream<Verdict> said(JobDocument before, ParsedDocument.Job shown, List<ParsedDocument.Job> losers) {
        Stream<Verdict> inDocuments = Stream.concat(Stream.of(shown), losers.stream())
                .flatMap(job -> job.said().stream())
                .filter(verdict -> verdict.status() != Verdict.Status.SUCCESS);
        return Stream.concat(before.verdict().stream(), inDocuments);
    }

    /**
     * {@return the versions that conflict with the one that CouchDB shows} The node that wrote one accepted it, and
     * this one deletes it: it is read without new checks.
     */
    private List<ParsedDocument.Job> losers(IncomingDocument incoming) {
        return incoming.losers().stream()
                .flatMap(leaf -> job(leaf.body()).stream())
                .toList();
    }

    private static Merged joined(JobDocument shown, List<ParsedDocument.Job> losers) {
        Merged all = new Merged.Joined(shown);
        for (ParsedDocument.Job loser : losers) {
            if (all instanceof Merged.Joined so) {
                all = Merge.join(so.document(), loser.document());
            }
        }
        return all;
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
