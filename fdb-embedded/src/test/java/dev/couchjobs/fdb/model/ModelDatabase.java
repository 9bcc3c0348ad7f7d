package dev.couchjobs.fdb.model;

import com.apple.foundationdb.DatabaseOptions;
import com.apple.foundationdb.EventKeeper;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The reference. For one thread; everything is done when a call returns. Watches are not part of it. */
public final class ModelDatabase implements BareDatabase {

    /** Where the keys end. */
    static final String END = "\u00ff";

    private static final int TOO_OLD = 1007;
    private static final int KEPT = 1_000;

    /** The latest of them, in order: too few to remember would be a fault, all of them would be slow. */
    private final Deque<Version> versions = new ArrayDeque<>(List.of(Version.first()));

    Version latest() {
        return versions.getLast();
    }

    Version at(long number) {
        return versions.stream()
                .filter(version -> version.number() <= number)
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> ModelAttempt.error(TOO_OLD));
    }

    Version next() {
        Version next = latest().next();
        versions.addLast(next);
        if (versions.size() > KEPT) {
            versions.removeFirst();
        }
        return next;
    }

    Stream<ModelKeyRange> writtenSince(long number) {
        return versions.stream()
                .filter(version -> version.number() > number)
                .flatMap(version -> version.written().stream());
    }

    @Override
    public Transaction createTransaction(Executor e) {
        return new ModelTransaction(this, new ModelAttempt(this));
    }

    @Override
    public Transaction createTransaction(Executor e, @Nullable EventKeeper eventKeeper) {
        return createTransaction(e);
    }

    @Override
    public <T> T run(Function<? super Transaction, T> retryable, Executor e) {
        Transaction tr = createTransaction();
        while (true) {
            try {
                T result = retryable.apply(tr);
                tr.commit().join();
                return result;
            } catch (FDBException | CompletionException error) {
                tr = tr.onError(error).join();
            }
        }
    }

    @Override
    public <T> CompletableFuture<T> runAsync(
            Function<? super Transaction, ? extends CompletableFuture<T>> retryable, Executor e) {
        return AsyncUtil.applySafely(tr -> CompletableFuture.completedFuture(run(joined(retryable), e)), this);
    }

    private static <T> Function<Transaction, T> joined(
            Function<? super Transaction, ? extends CompletableFuture<T>> retryable) {
        return tr -> retryable.apply(tr).join();
    }

    @Override
    public <T> T read(Function<? super ReadTransaction, T> retryable, Executor e) {
        return run(retryable, e);
    }

    @Override
    public <T> CompletableFuture<T> readAsync(
            Function<? super ReadTransaction, ? extends CompletableFuture<T>> retryable, Executor e) {
        return runAsync(retryable, e);
    }

    @Override
    public DatabaseOptions options() {
        return new DatabaseOptions((code, value) -> {});
    }

    @Override
    public Executor getExecutor() {
        return Runnable::run;
    }

    @Override
    public double getMainThreadBusyness() {
        return 0;
    }

    @Override
    public void close() {}
}
