package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.JobReason;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.document.WorkItem;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.node.ObjectNode;

/** Explains to people why a document is not being worked on, from its state in CouchDB and in the store. */
final class Explainer {
    /** The time limit for reading a document from CouchDB. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);

    private final BridgeContext context;
    private final DocumentReader reader;
    private final StoreExplainer inStore;
    private final Set<String> kinds;

    /** @param kinds the kinds of work items of this node */
    Explainer(BridgeContext context, StoreExplainer inStore, Set<String> kinds) {
        this.context = context;
        this.reader = new DocumentReader(context.cluster());
        this.inStore = inStore;
        this.kinds = new TreeSet<>(kinds);
    }

    /** {@return the reason why a document is not being worked on, or its progress} */
    CompletableFuture<String> explain(String id) {
        return readDocument(id).thenCompose(document -> {
            Optional<Leaf> current = document.flatMap(StoredDocument::current);
            ParsedDocument parsedDocument =
                    current.map(leaf -> reader.read(leaf.body())).orElseGet(ParsedDocument.Other::new);
            return stored(id, parsedDocument)
                    .thenApply(state -> explain(document, parsedDocument, state) + StoreExplainer.pendingWrite(state));
        });
    }

    private CompletableFuture<StoredState> stored(String id, ParsedDocument parsedDocument) {
        return BridgeStore.isStorable(id)
                ? context.read("explain", tx -> inStore.read(tx, id, parsedDocument))
                : CompletableFuture.completedFuture(StoredState.NONE);
    }

    /** {@return the document in CouchDB; empty if CouchDB does not answer} */
    private CompletableFuture<Optional<StoredDocument>> readDocument(String id) {
        CompletableFuture<Optional<StoredDocument>> document =
                context.couch().read(List.of(id)).thenApply(documents -> Optional.of(documents.get(0)));
        Future<?> timeout = context.environment()
                .scheduler()
                .schedule(
                        () -> context.executor().execute(() -> document.complete(Optional.empty())),
                        READ_TIMEOUT.toNanos(),
                        TimeUnit.NANOSECONDS);
        return document.whenComplete((read, error) -> timeout.cancel(false));
    }

    // Explaining

    private String explain(Optional<StoredDocument> document, ParsedDocument parsedDocument, StoredState state) {
        if (document.isEmpty()) {
            return "CouchDB does not answer. "
                    + (state.isKnown()
                            ? "As far as the bridge knows, " + inStore.stored(state)
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
        return state.isKnown()
                ? inStore.stored(state)
                : unseen(parsedDocument, document.get().current().get().body());
    }

    private String unseen(ParsedDocument parsedDocument, ObjectNode body) {
        if (parsedDocument instanceof ParsedDocument.Broken broken) {
            boolean isWorkedOnHere = broken.kind() == DocumentKind.JOB || !kinds.isEmpty();
            return "it cannot be run: " + OneLine.of(broken.reason())
                    + (isWorkedOnHere ? "" : ". This node does not work on work items");
        }
        return parsedDocument instanceof ParsedDocument.Other
                ? DocumentKind.whyOther(body)
                : "the bridge has not seen the document yet: its feed of changes has not reached it";
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
        return state.job()
                .map(job -> (job.reason().kind() == JobReason.Kind.WORKER
                                ? "the work item waits for a free worker of its kind"
                                : "the work item: " + job.reason().text())
                        + earlierFailure)
                .orElse("the bridge has not seen the work item yet");
    }
}
