package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Target;
import dev.couchjobs.bridge.internal.document.Verdict;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import dev.couchjobs.bridge.internal.transaction.StepTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

/** Explains to people why a job document is not being worked on, as far as the store of a node knows. */
public final class StoreExplainer {
    private final Source source;
    private final DocumentReader reader;
    private final StepExplainer stepExplainer;

    /**
     * What is read.
     *
     * @param node the node that may work on documents
     * @param cluster all nodes
     * @param store its store
     * @param jobs its jobs
     * @param feedName the name of its feed
     */
    public record Source(String node, NodeDirectory cluster, BridgeStore store, CouchJobs jobs, String feedName) {}

    /**
     * Creates an explainer.
     *
     * @param concurrency the number of steps that the node runs at the same time, which may change
     */
    public StoreExplainer(Source source, IntSupplier concurrency) {
        this.source = source;
        this.reader = new DocumentReader(source.cluster()).trusting();
        this.stepExplainer = new StepExplainer(source.node(), concurrency);
    }

    /** {@return why a document is not being worked on, or its progress} */
    public CompletableFuture<String> explain(ReadTransaction tx, String id) {
        CompletableFuture<StoredState> read = BridgeStore.isStorable(id)
                ? read(tx, id, new ParsedDocument.Other())
                : CompletableFuture.completedFuture(StoredState.NONE);
        return read.thenApply(state ->
                state.isKnown() ? stored(state) + pendingWrite(state) : "the bridge does not know the document");
    }

    // Reading the store

    /** @param parsedDocument the document in CouchDB, if it is known */
    CompletableFuture<StoredState> read(ReadTransaction tx, String id, ParsedDocument parsedDocument) {
        BridgeStore store = source.store();
        String node = source.node();
        return store.find(tx, id)
                .thenApply(entry -> new StoredState(entry, false, false, false, Optional.empty(), Optional.empty()))
                .exceptionally(error -> damaged(RootCauses.of(error)))
                .thenCompose(state -> {
                    var isSkipped = store.isSkipped(tx, node, source.feedName(), id);
                    var inOutbox = store.outbox().contains(tx, node, id);
                    var retryAt = store.outbox().retryAt(tx, node, id);
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

    private CompletableFuture<Optional<StoredState.StoredJob>> job(
            ReadTransaction tx, String id, Optional<DocumentEntry> entry, ParsedDocument parsedDocument) {
        if (parsedDocument instanceof ParsedDocument.Work work) {
            return firstJob(tx, List.of(StepTypes.ofWork(work.item().worker())), id);
        }
        Optional<Step> step = entry.filter(DocumentEntry::isLive)
                .flatMap(live -> document(live).current());
        return step.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : firstJob(
                        tx,
                        types(step.get().plan().target()),
                        new StepJob(id, step.get().index(), step.get().round()).id());
    }

    /** {@return the job document of an entry of a job} */
    public JobDocument document(DocumentEntry entry) {
        if (reader.read(entry.body()) instanceof ParsedDocument.Job job) {
            return job.document();
        }
        throw new IllegalStateException("The entry of a document cannot be read with the node's configuration");
    }

    /**
     * The types that may have a job of the step for this node. Nodes that share a database have one job for all nodes
     * of a target.
     */
    private List<JobType<?, ?>> types(Target target) {
        List<JobType<?, ?>> types = new ArrayList<>(List.of(StepTypes.of(source.node())));
        if (target instanceof Target.Any) {
            types.add(StepTypes.any());
        } else if (target instanceof Target.OneOf oneOf) {
            types.add(StepTypes.of(oneOf.nodes()));
        }
        return types;
    }

    private CompletableFuture<Optional<StoredState.StoredJob>> firstJob(
            ReadTransaction tx, List<JobType<?, ?>> types, String id) {
        return job(tx, types.get(0), id)
                .thenCompose(job -> job.isPresent() || types.size() == 1
                        ? CompletableFuture.completedFuture(job)
                        : firstJob(tx, types.subList(1, types.size()), id));
    }

    private CompletableFuture<Optional<StoredState.StoredJob>> job(ReadTransaction tx, JobType<?, ?> type, String id) {
        return source.jobs()
                .getJob(tx, type, id)
                .thenCombine(
                        source.jobs().details().why(tx, type, id),
                        (job, reason) -> job.map(info -> new StoredState.StoredJob(info, reason.orElseThrow())));
    }

    // Explaining

    String stored(StoredState state) {
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
        JobDocument job = document(entry);
        return job.verdict()
                .map(StoreExplainer::describe)
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

    static String pendingWrite(StoredState state) {
        return state.retryAt()
                .map(time ->
                        ". CouchDB refuses what the bridge writes into the document; the log contains the reason, and"
                                + " the bridge writes it again at " + time)
                .orElse(state.inOutbox() ? ". The bridge has not written the last changes into the document yet" : "");
    }
}
