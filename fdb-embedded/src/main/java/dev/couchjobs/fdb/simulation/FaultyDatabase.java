package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.DatabaseOptions;
import com.apple.foundationdb.EventKeeper;
import com.apple.foundationdb.KeyRangeArrayResult;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Tenant;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Any database, be it embedded or a cluster, whose transactions go wrong as planned. Errors are retried as by the real
 * one: by the {@code onError} of its own transaction. Tenants are not made faulty.
 */
public sealed class FaultyDatabase implements Database permits ProcessDatabase {
    private final Database delegate;
    private final FaultPlan plan;
    private final AtomicLong transactions = new AtomicLong();

    /**
     * Stands before a database.
     *
     * @param delegate stays the caller's to close, though {@link #close} is handed on as well
     * @param plan what goes wrong
     */
    public FaultyDatabase(Database delegate, FaultPlan plan) {
        this.delegate = delegate;
        this.plan = plan;
    }

    long nextNumber() {
        return transactions.incrementAndGet();
    }

    @Override
    public Transaction createTransaction(Executor e) {
        return new FaultyTransaction(this, delegate.createTransaction(e), plan);
    }

    @Override
    public Transaction createTransaction(Executor e, EventKeeper eventKeeper) {
        return new FaultyTransaction(this, delegate.createTransaction(e, eventKeeper), plan);
    }

    @Override
    public <T> T run(Function<? super Transaction, T> retryable, Executor e) {
        Transaction transaction = createTransaction(e);
        try {
            while (true) {
                try {
                    T result = retryable.apply(transaction);
                    transaction.commit().join();
                    return result;
                } catch (RuntimeException error) {
                    transaction = transaction.onError(error).join();
                }
            }
        } finally {
            transaction.close();
        }
    }

    @Override
    @SuppressWarnings("NullAway") // the function may well return null; the interface has no way to say so
    public <T> CompletableFuture<T> runAsync(
            Function<? super Transaction, ? extends CompletableFuture<T>> retryable, Executor e) {
        AtomicReference<Transaction> transaction = new AtomicReference<>(createTransaction(e));
        AtomicReference<T> result = new AtomicReference<>();
        return AsyncUtil.whileTrue(() -> tryOnce(retryable, transaction, result, e), e)
                .thenApply(done -> result.get())
                .whenComplete((value, error) -> current(transaction).close());
    }

    /** Whether to try again. */
    private static <T> CompletableFuture<Boolean> tryOnce(
            Function<? super Transaction, ? extends CompletableFuture<T>> retryable,
            AtomicReference<Transaction> transaction,
            AtomicReference<T> result,
            Executor e) {
        CompletableFuture<Boolean> committed = AsyncUtil.applySafely(retryable, current(transaction))
                .thenComposeAsync(
                        value -> current(transaction).commit().thenApply(done -> {
                            result.set(value);
                            return false;
                        }),
                        e);
        return AsyncUtil.composeHandleAsync(
                committed,
                (again, error) ->
                        error == null ? CompletableFuture.completedFuture(again) : recover(transaction, error),
                e);
    }

    private static CompletableFuture<Boolean> recover(AtomicReference<Transaction> transaction, Throwable error) {
        if (!(error instanceof RuntimeException)) {
            throw new CompletionException(error);
        }
        return current(transaction).onError(error).thenApply(fresh -> {
            transaction.set(fresh);
            return true;
        });
    }

    private static Transaction current(AtomicReference<Transaction> transaction) {
        return Objects.requireNonNull(transaction.get());
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
        return delegate.options();
    }

    @Override
    public Executor getExecutor() {
        return delegate.getExecutor();
    }

    @Override
    public double getMainThreadBusyness() {
        return delegate.getMainThreadBusyness();
    }

    @Override
    public void close() {
        delegate.close();
    }

    @Override
    public Tenant openTenant(Tuple tenantName) {
        return delegate.openTenant(tenantName);
    }

    @Override
    public Tenant openTenant(byte[] tenantName, Executor e) {
        return delegate.openTenant(tenantName, e);
    }

    @Override
    public Tenant openTenant(Tuple tenantName, Executor e) {
        return delegate.openTenant(tenantName, e);
    }

    @Override
    public Tenant openTenant(byte[] tenantName, Executor e, EventKeeper eventKeeper) {
        return delegate.openTenant(tenantName, e, eventKeeper);
    }

    @Override
    public Tenant openTenant(Tuple tenantName, Executor e, EventKeeper eventKeeper) {
        return delegate.openTenant(tenantName, e, eventKeeper);
    }

    @Override
    public CompletableFuture<byte[]> purgeBlobGranules(
            byte[] beginKey, byte[] endKey, long purgeVersion, boolean force, Executor e) {
        return delegate.purgeBlobGranules(beginKey, endKey, purgeVersion, force, e);
    }

    @Override
    public CompletableFuture<Void> waitPurgeGranulesComplete(byte[] purgeKey, Executor e) {
        return delegate.waitPurgeGranulesComplete(purgeKey, e);
    }

    @Override
    public CompletableFuture<Boolean> blobbifyRange(byte[] beginKey, byte[] endKey, Executor e) {
        return delegate.blobbifyRange(beginKey, endKey, e);
    }

    @Override
    public CompletableFuture<Boolean> blobbifyRangeBlocking(byte[] beginKey, byte[] endKey, Executor e) {
        return delegate.blobbifyRangeBlocking(beginKey, endKey, e);
    }

    @Override
    public CompletableFuture<Boolean> unblobbifyRange(byte[] beginKey, byte[] endKey, Executor e) {
        return delegate.unblobbifyRange(beginKey, endKey, e);
    }

    @Override
    public CompletableFuture<KeyRangeArrayResult> listBlobbifiedRanges(
            byte[] beginKey, byte[] endKey, int rangeLimit, Executor e) {
        return delegate.listBlobbifiedRanges(beginKey, endKey, rangeLimit, e);
    }

    @Override
    public CompletableFuture<Long> verifyBlobRange(byte[] beginKey, byte[] endKey, long version, Executor e) {
        return delegate.verifyBlobRange(beginKey, endKey, version, e);
    }

    @Override
    public CompletableFuture<Boolean> flushBlobRange(
            byte[] beginKey, byte[] endKey, boolean compact, long version, Executor e) {
        return delegate.flushBlobRange(beginKey, endKey, compact, version, e);
    }

    @Override
    public CompletableFuture<byte[]> getClientStatus(Executor e) {
        return delegate.getClientStatus(e);
    }
}
