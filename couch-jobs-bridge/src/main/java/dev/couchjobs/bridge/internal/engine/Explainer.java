package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Target;
import dev.couchjobs.bridge.internal.document.Verdict;
import dev.couchjobs.bridge.internal.document.WorkItem;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.DocumentStore;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import dev.couchjobs.bridge.internal.transaction.StepTypes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Explains to people why a document is not being worked on, from what CouchDB and the store contain. */
final class Explainer {
    /** The time limit for CouchDB to show a document. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final BridgeContext context;
    private final DocumentStore documents;
    private final DocumentReader reader;
    private final StepExplainer steps;
    private final Set<String> kinds;
    private final String feedName;

    /** @param kinds the kinds of work items of this node */
    Explainer(BridgeContext context, DocumentStore documents, StepExplainer steps, Set<String> kinds, String feedName) {
        this.context = context;
        this.documents = documents;
        this.reader = new DocumentReader(context.cluster());
        this.steps = steps;
        this.kinds = new TreeSet<>(kinds);
        this.feedName = feedName;
    }

    /**
     * What the store contains of a document.
     *
     * @param isDamaged whether its entry cannot be read
     * @param isLeftOut whether its import was skipped
     * @param isOut whether the outbox contains it
     * @param putOff when it is to be written again, if CouchDB has refused it
     * @param job the job of its current step, or of its work item, if this node may run that
     */
    private record Known(
            Optional<DocumentEntry> entry,
            boolean isDamaged,
            boolean isLeftOut,
            boolean isOut,
            Optional<Instant> putOff,
            Optional<? extends JobInfo<?, ?>> job) {}

    /** {@return why a document is not being worked on, or its progress} */
    CompletableFuture<String> of(String id) {
        if (!BridgeStore.isWithinLimit(id)) {
            return CompletableFuture.completedFuture(
                    "its id is too long for the bridge, which leaves the document alone");
        }
        return shown(id).thenCompose(shown -> {
            Optional<Leaf> current = shown.flatMap(StoredDocument::current);
            ParsedDocument parsedDocument =
                    current.map(leaf -> reader.read(leaf.body())).orElseGet(ParsedDocument.Other::new);
            return context.read("explain", tx -> known(tx, id, parsedDocument))
                    .thenApply(known -> explain(shown, parsedDocument, known) + writing(known));
        });
    }

    /** {@return the document in CouchDB; empty if CouchDB does not answer} */
    private CompletableFuture<Optional<StoredDocument>> shown(String id) {
        CompletableFuture<Optional<StoredDocument>> shown =
                context.couch().read(List.of(id)).thenApply(all -> Optional.of(all.get(0)));
        Future<?> tooLate = context.environment()
                .scheduler()
                .schedule(
                        () -> context.database().getExecutor().execute(() -> shown.complete(Optional.empty())),
                        PATIENCE.toNanos(),
                        TimeUnit.NANOSECONDS);
        return shown.whenComplete((answer, error) -> tooLate.cancel(false));
    }

    // Reading the store

    private CompletableFuture<Known> known(ReadTransaction tx, String id, ParsedDocument parsedDocument) {
        return context.store()
                .find(tx, id)
                .thenApply(entry -> new Known(entry, false, false, false, Optional.empty(), Optional.empty()))
                .exceptionally(error -> damaged(RootCauses.of(error)))
                .thenCompose(found -> {
                    var left = context.store().isSkipped(tx, context.node(), feedName, id);
                    var out = context.store().outbox().isOut(tx, context.node(), id);
                    var putOff = context.store().outbox().putOffUntil(tx, context.node(), id);
                    var job = job(tx, id, found.entry(), parsedDocument);
                    return CompletableFuture.allOf(left, out, putOff, job)
                            .thenApply(done -> new Known(
                                    found.entry(),
                                    found.isDamaged(),
                                    left.join(),
                                    out.join(),
                                    putOff.join(),
                                    job.join()));
                });
    }

    private static Known damaged(Throwable cause) {
        if (cause instanceof FDBException trouble) {
            throw trouble;
        }
        return new Known(Optional.empty(), true, false, false, Optional.empty(), Optional.empty());
    }

    private CompletableFuture<Optional<? extends JobInfo<?, ?>>> job(
            ReadTransaction tx, String id, Optional<DocumentEntry> entry, ParsedDocument parsedDocument) {
        if (parsedDocument instanceof ParsedDocument.Work work) {
            return first(tx, List.of(StepTypes.ofWork(work.item().worker())), id);
        }
        Optional<Step> step = entry.filter(DocumentEntry::isLive)
                .flatMap(live -> documents.kept(live).document().current());
        return step.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : first(
                        tx,
                        types(step.get().plan().target()),
                        new StepJob(id, step.get().index(), step.get().round()).id());
    }

    /**
     * The types that may have a job of the step that this node can run. Nodes that share jobs have one job for several
     * nodes.
     */
    private List<JobType<?, ?>> types(Target target) {
        List<JobType<?, ?>> types = new ArrayList<>(List.of(StepTypes.of(context.node())));
        if (target instanceof Target.Any) {
            types.add(StepTypes.any());
        } else if (target instanceof Target.OneOf some) {
            types.add(StepTypes.of(some.nodes()));
        }
        return types;
    }

    private CompletableFuture<Optional<? extends JobInfo<?, ?>>> first(
            ReadTransaction tx, List<JobType<?, ?>> types, String id) {
        return context.jobs()
                .getJob(tx, types.get(0), id)
                .thenCompose(job -> job.isPresent() || types.size() == 1
                        ? CompletableFuture.completedFuture(job)
                        : first(tx, types.subList(1, types.size()), id));
    }

    // Explaining

    private String explain(Optional<StoredDocument> shown, ParsedDocument parsedDocument, Known known) {
        if (shown.isEmpty()) {
            return "CouchDB does not answer. "
                    + (isStored(known)
                            ? "As far as the bridge knows, " + stored(known)
                            : "The bridge has not seen the document yet");
        }
        if (shown.get().leaves().isEmpty()) {
            return "CouchDB has no document of this id";
        }
        if (shown.get().current().isEmpty()) {
            return "the document is deleted";
        }
        if (parsedDocument instanceof ParsedDocument.Work work && !known.isLeftOut()) {
            return item(work.item(), known);
        }
        return isStored(known) ? stored(known) : unseen(parsedDocument);
    }

    private static boolean isStored(Known known) {
        return known.entry().isPresent() || known.isDamaged() || known.isLeftOut();
    }

    private String unseen(ParsedDocument parsedDocument) {
        if (parsedDocument instanceof ParsedDocument.Broken broken) {
            boolean isOurs = broken.kind() == DocumentKind.JOB || !kinds.isEmpty();
            return "it cannot be run: " + OneLine.of(broken.reason())
                    + (isOurs ? "" : ". This node does not work on work items");
        }
        return parsedDocument instanceof ParsedDocument.Other
                ? "it is neither a job nor a work item, so the bridge leaves it alone"
                : "the bridge has not seen the document yet: its feed of changes has not reached it";
    }

    private String stored(Known known) {
        if (known.isDamaged()) {
            return "the entry of the document in the store is damaged, so the bridge leaves it alone; put the job"
                    + " into the database again, with another id";
        }
        if (known.isLeftOut()) {
            return "the bridge could not import the document, and its log contains the reason; it tries again"
                    + " when the document changes and when the bridge is started";
        }
        DocumentEntry entry = known.entry().orElseThrow();
        return switch (entry.documentRole()) {
            case REFUSED ->
                "the job was refused: " + OneLine.of(entry.body().path("reason").asString(""));
            case DELETED -> "the document was deleted before";
            case ENDED, LIVE -> job(entry, known);
        };
    }

    private String job(DocumentEntry entry, Known known) {
        JobDocument job = documents.kept(entry).document();
        return job.verdict()
                .map(Explainer::ended)
                .orElseGet(() -> steps.of(job.step(job.currentStep()), entry, known.job()));
    }

    private static String ended(Verdict verdict) {
        String reason = verdict.reason().map(why -> ": " + OneLine.of(why)).orElse("");
        return switch (verdict.status()) {
            case SUCCESS -> "the job has ended: all steps have succeeded";
            case FAILED -> "the job has failed" + reason;
            case CANCELLED -> "the job was cancelled" + reason;
        };
    }

    private String item(WorkItem item, Known known) {
        String before = item.reason()
                .map(reason -> "; it has failed before: " + OneLine.of(reason))
                .orElse("");
        if (item.hasFailed()) {
            return "the work item has failed for good: "
                    + OneLine.of(item.reason().orElse(""));
        }
        if (item.isClaimed()) {
            return "the work item is claimed by " + item.claimedBy().orElse("a program without a name") + before;
        }
        if (!kinds.contains(item.worker())) {
            return "this node does not work on items of the kind " + item.worker() + "; its kinds are: " + kinds;
        }
        if (item.due().isAfter(context.environment().clock().instant())) {
            return "the work item is due at " + item.due() + before;
        }
        return known.job().isPresent()
                ? "the work item waits for a free worker of its kind" + before
                : "the bridge has not seen the work item yet";
    }

    private static String writing(Known known) {
        return known.putOff()
                .map(time ->
                        ". CouchDB refuses what the bridge writes into the document; the log contains the reason, and"
                                + " the bridge writes it again at " + time)
                .orElse(known.isOut() ? ". The bridge has not written the last changes into the document yet" : "");
    }
}
