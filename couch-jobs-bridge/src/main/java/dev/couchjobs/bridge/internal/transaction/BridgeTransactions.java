package dev.couchjobs.bridge.internal.transaction;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the bridge's transactions. A transaction may change the conditions of other documents, or free a worker slot;
 * before the commit these documents, and those that wait for a slot, are reviewed.
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

    /** Runs a body in a transaction of its own. */
    public <T extends @Nullable Object> CompletableFuture<T> run(
            String purpose, Function<BridgeTransaction, CompletableFuture<T>> body) {
        return run(BridgeTransaction.Runner.of(context, purpose), body);
    }

    /** Runs a body in a transaction of the given runner, and the reviews that the body requests. */
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
            return update(transaction, next.get(), kept -> assignment.next(transaction, kept, false))
                    .thenCompose(done -> review(transaction));
        }
        Optional<StepSlots> slots = assignment.slots();
        return slots.isPresent() && transaction.isQueueReviewRequested()
                ? reviewQueue(transaction, slots.get())
                : done();
    }

    private CompletableFuture<Void> reviewQueue(BridgeTransaction transaction, StepSlots slots) {
        return slots.nextQueued(transaction)
                .thenCompose(next -> next.isEmpty()
                        ? done()
                        : update(transaction, next.get(), kept -> slots.claim(transaction, kept))
                                // A job that is not live stays the first of the queue: the review must not repeat it.
                                .thenCompose(isLive -> isLive ? reviewQueue(transaction, slots) : done()));
    }

    /** Changes a document if its job is live. {@return whether the job is live} */
    private CompletableFuture<Boolean> update(
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
