package dev.couchjobs.bridge.internal.transaction;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One transaction of the bridge. It collects the documents to reconcile before the commit, the jobs to add (one batch),
 * and the actions to run after the commit. Thread-safe.
 */
public final class BridgeTransaction {
    private final Transaction tx;
    private final List<NewJob<?>> jobs = new ArrayList<>();
    private final List<Runnable> afterwards = new ArrayList<>();
    private final List<Runnable> news = new ArrayList<>();
    private final Set<String> toReview = new LinkedHashSet<>();
    private boolean isQueueReviewRequested;

    private BridgeTransaction(Transaction tx) {
        this.tx = tx;
    }

    public Transaction tx() {
        return tx;
    }

    public synchronized void add(NewJob<?> job) {
        jobs.add(job);
    }

    /** Adds an action that runs after the commit. It does not run if the process ends before. */
    public synchronized void afterwards(Runnable action) {
        afterwards.add(action);
    }

    /** Adds a log message that is written after the commit. Only the messages of the last try are written. */
    public synchronized void say(Runnable words) {
        news.add(words);
    }

    private synchronized void say() {
        news.forEach(Runnable::run);
    }

    /** Requests the review of a document before the commit, because a condition of its job has changed. */
    public synchronized void review(String document) {
        toReview.add(document);
    }

    /** Requests the review of the documents that wait for a worker slot, before the commit. */
    public synchronized void requestQueueReview() {
        isQueueReviewRequested = true;
    }

    /** Removes a document from those to review. {@return the document} */
    synchronized Optional<String> nextToReview() {
        Optional<String> next = toReview.stream().findFirst();
        next.ifPresent(toReview::remove);
        return next;
    }

    synchronized boolean isQueueReviewRequested() {
        return isQueueReviewRequested;
    }

    private synchronized <T extends @Nullable Object> CompletableFuture<T> end(
            CouchJobs couchJobs, T result, List<Runnable> collected) {
        collected.addAll(afterwards);
        return jobs.isEmpty()
                ? CompletableFuture.completedFuture(result)
                : couchJobs.addAll(tx, jobs).thenApply(ids -> result);
    }

    /** Runs transactions: those of a database, or those that a job's claim fences. */
    public interface Runner {
        <T extends @Nullable Object> CompletableFuture<T> run(Function<Transaction, CompletableFuture<T>> body);

        /** {@return a runner of transactions that no claim fences} */
        static Runner of(BridgeContext context, String purpose) {
            return new Runner() {
                @Override
                public <T extends @Nullable Object> CompletableFuture<T> run(
                        Function<Transaction, CompletableFuture<T>> body) {
                    return context.run(purpose, body);
                }
            };
        }
    }

    /**
     * Runs a transaction, and retries it like its runner. After the commit the actions of all tries run: a try with an
     * unknown result may have committed, and the next try then finds nothing to do. Each action must therefore check
     * whether its condition still holds.
     *
     * @return the result of the body, after the commit
     */
    static <T extends @Nullable Object> CompletableFuture<T> run(
            Runner runner, CouchJobs couchJobs, Function<BridgeTransaction, CompletableFuture<T>> body) {
        List<Runnable> afterwards = Collections.synchronizedList(new ArrayList<>());
        AtomicReference<@Nullable BridgeTransaction> last = new AtomicReference<>();
        return runner.<T>run(tx -> {
                    BridgeTransaction transaction = new BridgeTransaction(tx);
                    last.set(transaction);
                    return body.apply(transaction)
                            .thenCompose(result -> transaction.end(couchJobs, result, afterwards));
                })
                .thenApply(result -> {
                    List.copyOf(afterwards).forEach(Runnable::run);
                    Optional.ofNullable(last.get()).ifPresent(BridgeTransaction::say);
                    return result;
                });
    }
}
