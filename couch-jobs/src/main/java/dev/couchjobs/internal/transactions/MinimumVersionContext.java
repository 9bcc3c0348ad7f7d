package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.SequenceNotVisibleException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * A context whose reads see at least the commit with a given version, or fail.
 *
 * <p>The version contains the commit version, and a transaction sees all commits up to its read version. A read version
 * that was just fetched from the database is never too old. A read version that the caller keeps, caches or sets may be
 * too old, and one of another database is meaningless.
 */
public final class MinimumVersionContext implements ReadTransactionContext {
    private final ReadTransactionContext context;
    private final Versionstamp version;
    private final long commitVersion;

    public MinimumVersionContext(ReadTransactionContext context, Versionstamp version) {
        if (!version.isComplete()) {
            throw new IllegalArgumentException(
                    "This versionstamp is incomplete: its commit is still to come. Pass the versionstamp of a commit.");
        }
        this.context = context;
        this.version = version;
        this.commitVersion = ByteBuffer.wrap(version.getTransactionVersion()).getLong();
    }

    /** {@return the wrapped context} */
    ReadTransactionContext context() {
        return context;
    }

    <T> CompletableFuture<T> check(
            ReadTransaction tx, Function<? super ReadTransaction, ? extends CompletableFuture<T>> body) {
        return tx.getReadVersion().thenCompose(read -> {
            if (read < commitVersion) {
                throw new SequenceNotVisibleException(read, version);
            }
            return body.apply(tx);
        });
    }

    @Override
    public <T> T read(Function<? super ReadTransaction, T> retryable) {
        return readAsync(tx -> CompletableFuture.completedFuture(retryable.apply(tx)))
                .join();
    }

    @Override
    public <T> CompletableFuture<T> readAsync(
            Function<? super ReadTransaction, ? extends CompletableFuture<T>> retryable) {
        return context.readAsync(tx -> check(tx, retryable));
    }

    @Override
    public Executor getExecutor() {
        return context.getExecutor();
    }
}
