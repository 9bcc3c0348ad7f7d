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

    /** Has something done when this is committed; not if the process ends before. */
    public synchronized void afterwards(Runnable action) {
        afterwards.add(action);
    }

    /** Has something said when this is committed; not for a try that was not the last. */
    public synchronized void say(Runnable words) {
        news.add(words);
    }

    private synchronized void say() {
        news.forEach(Runnable::run);
    }

    /** Has a document looked at again before the turn ends, because what it depends on has changed. */
    public synchronized void review(String document) {
        toReview.add(document);
    }

    /** Has those who wait for a worker looked at before the turn ends. */
    public synchronized void requestQueueReview() {
        isQueueReviewRequested = true;
    }

    /** {@return the next document to be looked at again, which then no longer is one} */
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

    /** Something that runs transactions: a database, or a job that is held. */
    public interface Runner {
        <T extends @Nullable Object> CompletableFuture<T> run(Function<Transaction, CompletableFuture<T>> body);

        /** {@return one that runs them by themselves} */
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
     * Runs a turn, as often as it takes. What its tries want done afterwards is done for all of them: of one whose
     * commit has an unknown result, it may have happened, and the next then finds nothing left to do. So whatever is
     * done afterwards has to look first.
     *
     * @return what its body gave, when all of it is committed
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
