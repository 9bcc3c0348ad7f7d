package dev.couchjobs.bridge.internal.nodes;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.bridge.BridgeDocument;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.StepRun;
import dev.couchjobs.bridge.internal.document.StepRunEnd;
import dev.couchjobs.bridge.internal.document.Verdict;
import dev.couchjobs.bridge.internal.engine.StoreExplainer;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.store.DocumentPage;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import tools.jackson.core.JacksonException;

/** The job documents in the store of a node, for readers outside its bridge. */
public final class NodeDocuments {
    private final BridgeStore store;
    private final StoreExplainer explainer;

    public NodeDocuments(BridgeStore store, StoreExplainer explainer) {
        this.store = store;
        this.explainer = explainer;
    }

    /** {@return a page of entries, whose documents {@link #document} reads} */
    public CompletableFuture<DocumentPage> page(ReadTransaction tx, Optional<String> after, int most) {
        return store.page(tx, after, most);
    }

    /** {@return what a document of the store waits for} */
    public CompletableFuture<String> explain(ReadTransaction tx, String id) {
        return explainer.explain(tx, id);
    }

    /** {@return a document of the store} */
    public CompletableFuture<Optional<BridgeDocument>> find(ReadTransaction tx, String id) {
        return BridgeStore.isStorable(id)
                ? store.find(tx, id)
                        .thenApply(entry -> entry.map(found -> document(id, found)))
                        .exceptionally(error -> Optional.of(unreadable(id, error)))
                : CompletableFuture.completedFuture(Optional.empty());
    }

    private static BridgeDocument unreadable(String id, Throwable error) {
        if (RootCauses.of(error) instanceof JacksonException) {
            return damaged(id, "");
        }
        throw new CompletionException(error);
    }

    /** {@return the document of an entry} */
    public BridgeDocument document(DocumentPage.Item item) {
        return item.entry().map(entry -> document(item.id(), entry)).orElseGet(() -> damaged(item.id(), ""));
    }

    private BridgeDocument document(String id, DocumentEntry entry) {
        return switch (entry.documentRole()) {
            case REFUSED ->
                without(
                        id,
                        entry.home(),
                        BridgeDocument.State.REFUSED,
                        Optional.of(entry.body().path("reason").asString("")));
            case DELETED -> without(id, entry.home(), BridgeDocument.State.DELETED, Optional.empty());
            case LIVE, ENDED -> job(id, entry);
        };
    }

    private static BridgeDocument without(
            String id, String creator, BridgeDocument.State state, Optional<String> reason) {
        return new BridgeDocument(id, creator, state, reason, 0, List.of(), Optional.empty());
    }

    private static BridgeDocument damaged(String id, String creator) {
        return without(id, creator, BridgeDocument.State.DAMAGED, Optional.empty());
    }

    private BridgeDocument job(String id, DocumentEntry entry) {
        JobDocument job;
        try {
            job = explainer.document(entry);
        } catch (IllegalStateException e) { // the node's configuration no longer has all nodes
            return damaged(id, entry.home());
        }
        return new BridgeDocument(
                id,
                job.plan().creator(),
                job.verdict().map(verdict -> state(verdict.status())).orElse(BridgeDocument.State.RUNNING),
                job.verdict().flatMap(Verdict::reason),
                job.currentStep(),
                IntStream.range(0, job.plan().steps().size())
                        .mapToObj(index -> step(job.step(index)))
                        .toList(),
                Optional.empty());
    }

    private static BridgeDocument.State state(Verdict.Status status) {
        return switch (status) {
            case SUCCESS -> BridgeDocument.State.SUCCESS;
            case FAILED -> BridgeDocument.State.FAILED;
            case CANCELLED -> BridgeDocument.State.CANCELLED;
        };
    }

    private static BridgeDocument.Step step(Step step) {
        return new BridgeDocument.Step(
                step.index(),
                List.copyOf(step.plan().target().written()),
                step.status().map(status -> state(status)),
                step.progress().claimedBy(),
                step.progress().winner(),
                step.progress().runs().entrySet().stream()
                        .map(run -> run(run.getKey(), run.getValue()))
                        .toList());
    }

    private static BridgeDocument.Run run(String node, StepRun run) {
        return new BridgeDocument.Run(
                node,
                state(run.status()),
                run.executioner(),
                run.begun(),
                run.tries(),
                run.start().map(time -> time.toInstant()),
                run.finish().map(time -> time.toInstant()),
                run.end().map(StepRunEnd::exitStatus).orElseGet(OptionalInt::empty),
                run.end().flatMap(StepRunEnd::reason));
    }

    private static BridgeDocument.StepState state(StepRun.Status status) {
        return switch (status) {
            case RUNNING -> BridgeDocument.StepState.RUNNING;
            case FINISHED -> BridgeDocument.StepState.FINISHED;
            case FAILED -> BridgeDocument.StepState.FAILED;
        };
    }
}
