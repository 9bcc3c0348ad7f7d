package dev.couchjobs.bridge.internal.transaction;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the bridge's transactions. What is changed in one may touch documents that it was not about, or set a worker
 * free for one that waits; they are looked at before it ends.
 */
public final class BridgeTransactions {
    private final BridgeContext context;
    private final CouchJobs jobs;
    private final StepAssignment assignment;
    private final DocumentStore documents;

    public BridgeTransactions(BridgeContext context, StepAssignment assignment, DocumentStore documents) {
        this.context = context;
        this.jobs = context.jobs();
        this.assignment = assignment;
        this.documents = documents;
    }

    /** Runs a turn in a transaction of its own. */
    public <T extends @Nullable Object> CompletableFuture<T> run(
            String purpose, Function<BridgeTransaction, CompletableFuture<T>> body) {
        return run(BridgeTransaction.Runner.of(context, purpose), body);
    }

    /** Runs a turn, and looks in it at all that depends on what it changes. */
    public <T extends @Nullable Object> CompletableFuture<T> run(
            BridgeTransaction.Runner runner, Function<BridgeTransaction, CompletableFuture<T>> body) {
        return BridgeTransaction.run(
                runner,
                jobs,
                transaction -> body.apply(transaction)
                        .thenCompose(result -> review(transaction).thenApply(done -> result)));
    }

    private CompletableFuture<Void> review(BridgeTransaction transaction) {
        Optional<String> next = transaction.nextToReview();
        if (next.isPresent()) {
            return look(transaction, next.get(), kept -> assignment.next(transaction, kept, false))
                    .thenCompose(done -> review(transaction));
        }
        return transaction.isQueueReviewRequested() ? reviewQueue(transaction) : done();
    }

    private CompletableFuture<Void> reviewQueue(BridgeTransaction transaction) {
        return assignment
                .fromQueue(transaction)
                .thenCompose(next -> next.isEmpty()
                        ? done()
                        : look(transaction, next.get(), kept -> assignment.claim(transaction, kept))
                                // One that is not live has no business there, and would be the first forever.
                                .thenCompose(wasLive -> wasLive ? reviewQueue(transaction) : done()));
    }

    /** Looks at a live document again. {@return whether it is live} */
    private CompletableFuture<Boolean> look(
            BridgeTransaction transaction, String id, Function<Kept, CompletableFuture<Kept>> change) {
        return documents
                .live(transaction, id)
                .thenCompose(before -> before.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : change.apply(before.get()).thenApply(now -> {
                            documents.save(transaction, before, now);
                            if (!now.document().equals(before.get().document())) {
                                documents.send(transaction, id, now.entry().home());
                            }
                            return true;
                        }));
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
