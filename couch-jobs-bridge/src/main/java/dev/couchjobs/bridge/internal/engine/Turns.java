package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.bridge.internal.engine.Assignment.Kept;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the bridge's transactions. What is changed in one may touch documents that it was not about, or set a worker
 * free for one that waits; they are looked at before it ends.
 */
final class Turns {
    private final BridgeContext context;
    private final CouchJobs jobs;
    private final Assignment assignment;
    private final Documents documents;

    Turns(BridgeContext context, Assignment assignment, Documents documents) {
        this.context = context;
        this.jobs = context.jobs();
        this.assignment = assignment;
        this.documents = documents;
    }

    /** Runs a turn in a transaction of its own. */
    <T extends @Nullable Object> CompletableFuture<T> run(String purpose, Function<Turn, CompletableFuture<T>> body) {
        return run(Turn.Runner.of(context, purpose), body);
    }

    /** Runs a turn, and looks in it at all that depends on what it changes. */
    <T extends @Nullable Object> CompletableFuture<T> run(
            Turn.Runner runner, Function<Turn, CompletableFuture<T>> body) {
        return Turn.run(
                runner,
                jobs,
                turn -> body.apply(turn).thenCompose(result -> review(turn).thenApply(done -> result)));
    }

    private CompletableFuture<Void> review(Turn turn) {
        Optional<String> next = turn.nextToReview();
        if (next.isPresent()) {
            return look(turn, next.get(), kept -> assignment.next(turn, kept, false))
                    .thenCompose(done -> review(turn));
        }
        return turn.reviewsLine() ? reviewLine(turn) : done();
    }

    private CompletableFuture<Void> reviewLine(Turn turn) {
        return assignment
                .fromLine(turn)
                .thenCompose(next -> next.isEmpty()
                        ? done()
                        : look(turn, next.get(), kept -> assignment.claim(turn, kept))
                                // One that is not live has no business there, and would be the first for ever.
                                .thenCompose(wasLive -> wasLive ? reviewLine(turn) : done()));
    }

    /** Looks at a live document again. {@return whether it is live} */
    private CompletableFuture<Boolean> look(Turn turn, String id, Function<Kept, CompletableFuture<Kept>> change) {
        return documents
                .live(turn, id)
                .thenCompose(before -> before.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : change.apply(before.get()).thenApply(now -> {
                            documents.save(turn, before, now);
                            if (!now.document().equals(before.get().document())) {
                                documents.send(turn, id, now.entry().home());
                            }
                            return true;
                        }));
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
