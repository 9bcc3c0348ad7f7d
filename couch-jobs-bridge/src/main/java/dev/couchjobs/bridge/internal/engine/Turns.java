package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.engine.Assignment.Kept;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the bridge's transactions. What is changed in one may touch documents that it was not about, or set a worker free for
 * one that waits; they are looked at before it ends.
 */
final class Turns {
    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    private final Database database;
    private final CouchJobs jobs;
    private final Environment environment;
    private final Assignment assignment;
    private final Documents documents;
    private volatile boolean isClosed;

    Turns(BridgeContext context, Assignment assignment, Documents documents) {
        this.database = context.database();
        this.jobs = context.jobs();
        this.environment = context.environment();
        this.assignment = assignment;
        this.documents = documents;
    }

    /** Runs a turn in a transaction of its own. */
    <T extends @Nullable Object> CompletableFuture<T> run(Function<Turn, CompletableFuture<T>> body) {
        return run(Turn.Runner.of(database), body);
    }

    /** Runs a turn, and looks in it at all that depends on what it changes. */
    <T extends @Nullable Object> CompletableFuture<T> run(
            Turn.Runner runner, Function<Turn, CompletableFuture<T>> body) {
        return Turn.run(
                runner,
                jobs,
                this::later,
                turn -> body.apply(turn).thenCompose(result -> review(turn).thenApply(done -> result)));
    }

    /** Whatever happens: nobody else would do it. */
    private void later(Duration delay, Function<Turn, CompletableFuture<Void>> body) {
        var unused = environment.scheduler().schedule(() -> now(body), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void now(Function<Turn, CompletableFuture<Void>> body) {
        if (!isClosed) {
            var unused = run(body).whenComplete((done, error) -> {
                if (error != null && !isClosed) {
                    LOG.warn("A look at a claim has failed; the next is in {}", AFTER_FAILURE, error);
                    later(AFTER_FAILURE, body);
                }
            });
        }
    }

    /** Has nothing run later any more. */
    void close() {
        isClosed = true;
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
                                .thenCompose(done -> reviewLine(turn)));
    }

    /** Looks at a live document again. */
    private CompletableFuture<Void> look(Turn turn, String id, Function<Kept, CompletableFuture<Kept>> change) {
        return documents
                .live(turn, id)
                .thenCompose(before -> before.isEmpty()
                        ? done()
                        : change.apply(before.get()).thenAccept(now -> {
                            documents.save(turn, before, now);
                            if (!now.document().equals(before.get().document())) {
                                documents.send(turn, id, now.entry().home());
                            }
                        }));
    }

    /** Takes up what a process that has ended has left. */
    CompletableFuture<Void> resume() {
        return run(assignment::resume);
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
