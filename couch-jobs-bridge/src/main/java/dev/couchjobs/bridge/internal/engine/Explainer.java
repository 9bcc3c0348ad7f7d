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

/** Explains to people why a document is not being worked on, from its state in CouchDB and in the store. */
final class Explainer {
    /** The time limit for reading a document from CouchDB. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);

    private final BridgeContext context;
    private final DocumentStore documents;
    private final DocumentReader reader;
    private final StepExplainer stepExplainer;
    private final Set<String> kinds;
    private final String feedName;

    /** @param kinds the kinds of work items of this node */
    Explainer(
            BridgeContext context,
            DocumentStore documents,
            StepExplainer stepExplainer,
            Set<String> kinds,
            String feedName) {
        this.context = context;
        this.documents = documents;
        this.reader = new DocumentReader(context.cluster());
        this.stepExplainer = stepExplainer;
        this.kinds = new TreeSet<>(kinds);
        this.feedName = feedName;
    }

    /**
     * The state of a document in the store.
     *
     * @param isDamaged whether its entry cannot be read
     * @param isSkipped whether the import skipped it after an error
     * @param inOutbox whether the outbox contains it
     * @param retryAt when the publisher writes it again, if CouchDB has refused it
     * @param job the job of its current step, or of its work item, if this node may run that
     */
    private record StoredState(
            Optional<DocumentEntry> entry,
            boolean isDamaged,
            boolean isSkipped,
            boolean inOutbox,
            Optional<Instant> retryAt,
            Optional<? extends JobInfo<?, ?>> job) {}

    /** {@return the reason why a document is not being worked on, or its progress} */
    CompletableFuture<String> explain(String id) {
        if (!BridgeStore.isWithinLimit(id)) {
            return CompletableFuture.completedFuture(
                    "its id is too long for the bridge, which leaves the document alone");
        }
        return readDocument(id).thenCompose(document -> {
            Optional<Leaf> current = document.flatMap(StoredDocument::current);
            ParsedDocument parsedDocument =
                    current.map(leaf -> reader.read(leaf.body())).orElseGet(ParsedDocument.Other::new);
            return context.read("explain", tx -> readState(tx, id, parsedDocument))
                    .thenApply(state -> explain(document, parsedDocument, state) + pendingWrite(state));
        });
    }

    /** {@return the document in CouchDB; empty if CouchDB does not answer} */
    private CompletableFuture<Optional<StoredDocument>> readDocument(String id) {
        CompletableFuture<Optional<StoredDocument>> document =
                context.couch().read(List.of(id)).thenApply(documents -> Optional.of(documents.get(0)));
        Future<?> timeout = context.environment()
                .scheduler()
                .schedule(
                        () -> context.database().getExecutor().execute(() -> document.complete(Optional.empty())),
                        READ_TIMEOUT.toNanos(),
                        TimeUnit.NANOSECONDS);
        return document.whenComplete((read, error) -> timeout.cancel(false));
    }

    // Reading the store

    private CompletableFuture<StoredState> readState(ReadTransaction tx, String id, ParsedDocument parsedDocument) {
        return context.store()
                .find(tx, id)
                .thenApply(entry -> new StoredState(entry, false, false, false, Optional.empty(), Optional.empty()))
                .exceptionally(error -> damaged(RootCauses.of(error)))
                .thenCompose(state -> {
                    var isSkipped = context.store().isSkipped(tx, context.node(), feedName, id);
                    var inOutbox = context.store().outbox().contains(tx, context.node(), id);
                    var retryAt = context.store().outbox().retryAt(tx, context.node(), id);
                    var job = job(tx, id, state.entry(), parsedDocument);
                    return CompletableFuture.allOf(isSkipped, inOutbox, retryAt, job)
                            .thenApply(done -> new StoredState(
                                    state.entry(),
                                    state.isDamaged(),
                                    isSkipped.join(),
                                    inOutbox.join(),
                                    retryAt.join(),
                                    job.join()));
                });
    }

    private static StoredState damaged(Throwable cause) {
        if (cause instanceof FDBException databaseError) {
            throw databaseError;
        }
        return new StoredState(Optional.empty(), true, false, false, Optional.empty(), Optional.empty());
    }

    private CompletableFuture<Optional<? extends JobInfo<?, ?>>> job(
            ReadTransaction tx, String id, Optional<DocumentEntry> entry, ParsedDocument parsedDocument) {
        if (parsedDocument instanceof ParsedDocument.Work work) {
            return firstJob(tx, List.of(StepTypes.ofWork(work.item().worker())), id);
        }
        Optional<Step> step = entry.filter(DocumentEntry::isLive)
                .flatMap(live -> documents.kept(live).document().current());
        return step.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : firstJob(
                        tx,
                        types(step.get().plan().target()),
                        new StepJob(id, step.get().index(), step.get().round()).id());
    }

    /**
     * The types that may have a job of the step for this node. Nodes that share a database have one job for all nodes
     * of a target.
     */
    private List<JobType<?, ?>> types(Target target) {
        List<JobType<?, ?>> types = new ArrayList<>(List.of(StepTypes.of(context.node())));
        if (target instanceof Target.Any) {
            types.add(StepTypes.any());
        } else if (target instanceof Target.OneOf oneOf) {
            types.add(StepTypes.of(oneOf.nodes()));
        }
        return types;
    }

    private CompletableFuture<Optional<? extends JobInfo<?, ?>>> firstJob(
            ReadTransaction tx, List<JobType<?, ?>> types, String id) {
        return context.jobs()
                .getJob(tx, types.get(0), id)
                .thenCompose(job -> job.isPresent() || types.size() == 1
                        ? CompletableFuture.completedFuture(job)
                        : firstJob(tx, types.subList(1, types.size()), id));
    }

    // Explaining

    private String explain(Optional<StoredDocument> document, ParsedDocument parsedDocument, StoredState state) {
        if (document.isEmpty()) {
            return "CouchDB does not answer. "
                    + (isStored(state)
                            ? "As far as the bridge knows, " + stored(state)
                            : "The bridge has not seen the document yet");
        }
        if (document.get().leaves().isEmpty()) {
            return "CouchDB has no document of this id";
        }
        if (document.get().current().isEmpty()) {
            return "the document is deleted";
        }
        if (parsedDocument instanceof ParsedDocument.Work work && !state.isSkipped()) {
            return item(work.item(), state);
        }
        return isStored(state) ? stored(state) : unseen(parsedDocument);
    }

    private static boolean isStored(StoredState state) {
        return state.entry().isPresent() || state.isDamaged() || state.isSkipped();
    }

    private String unseen(ParsedDocument parsedDocument) {
        if (parsedDocument instanceof ParsedDocument.Broken broken) {
            boolean isWorkedOnHere = broken.kind() == DocumentKind.JOB || !kinds.isEmpty();
            return "it cannot be run: " + OneLine.of(broken.reason())
                    + (isWorkedOnHere ? "" : ". This node does not work on work items");
        }
        return parsedDocument instanceof ParsedDocument.Other
                ? "it is neither a job nor a work item, so the bridge leaves it alone"
                : "the bridge has not seen the document yet: its feed of changes has not reached it";
    }

    private String stored(StoredState state) {
        if (state.isDamaged()) {
            return "the entry of the document in the store is damaged, so the bridge leaves it alone; put the job"
                    + " into the database again, with another id";
        }
        if (state.isSkipped()) {
            return "the bridge could not import the document, and its log contains the reason; it tries again"
                    + " when the document changes and when the bridge is started";
        }
        DocumentEntry entry = state.entry().orElseThrow();
        return switch (entry.documentRole()) {
            case REFUSED ->
                "the job was refused: " + OneLine.of(entry.body().path("reason").asString(""));
            case DELETED -> "the document was deleted before";
            case ENDED, LIVE -> job(entry, state);
        };
    }

    private String job(DocumentEntry entry, StoredState state) {
        JobDocument job = documents.kept(entry).document();
        return job.verdict()
                .map(Explainer::describe)
                .orElseGet(() -> stepExplainer.explain(job.step(job.currentStep()), entry, state.job()));
    }

    private static String describe(Verdict verdict) {
        String reason = verdict.reason().map(text -> ": " + OneLine.of(text)).orElse("");
        return switch (verdict.status()) {
            case SUCCESS -> "the job has ended: all steps have succeeded";
            case FAILED -> "the job has failed" + reason;
            case CANCELLED -> "the job was cancelled" + reason;
        };
    }

    private String item(WorkItem item, StoredState state) {
        String earlierFailure = item.reason()
                .map(reason -> "; it has failed before: " + OneLine.of(reason))
                .orElse("");
        if (item.hasFailed()) {
            return "the work item has failed for good: "
                    + OneLine.of(item.reason().orElse(""));
        }
        if (item.isClaimed()) {
            return "the work item is claimed by " + item.claimedBy().orElse("a program without a name")
                    + earlierFailure;
        }
        if (!kinds.contains(item.worker())) {
            return "this node does not work on items of the kind " + item.worker() + "; its kinds are: " + kinds;
        }
        if (item.due().isAfter(context.environment().clock().instant())) {
            return "the work item is due at " + item.due() + earlierFailure;
        }
        return state.job().isPresent()
                ? "the work item waits for a free worker of its kind" + earlierFailure
                : "the bridge has not seen the work item yet";
    }

    private static String pendingWrite(StoredState state) {
        return state.retryAt()
                .map(time ->
                        ". CouchDB refuses what the bridge writes into the document; the log contains the reason, and"
                                + " the bridge writes it again at " + time)
                .orElse(state.inOutbox() ? ". The bridge has not written the last changes into the document yet" : "");
    }
}
