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
 * Reads that see at least what was committed up to some sequence, or fail.
 *
 * <p>A sequence is a commit version and more, and a transaction sees all commits up to its read version. A read version
 * that was just got from the database is never too old; one that a caller keeps, caches or sets may be, and so is one
 * of another database.
 */
public final class MinimumVersionContext implements ReadTransactionContext {
    private final ReadTransactionContext context;
    private final Versionstamp sequence;
    private final long version;

    public MinimumVersionContext(ReadTransactionContext context, Versionstamp sequence) {
        if (!sequence.isComplete()) {
            throw new IllegalArgumentException(
                    "A sequence to be seen is one of a commit that has happened; this one is still to come.");
        }
        this.context = context;
        this.sequence = sequence;
        this.version = ByteBuffer.wrap(sequence.getTransactionVersion()).getLong();
    }

    /** The context beneath. */
    ReadTransactionContext context() {
        return context;
    }

    <T> CompletableFuture<T> check(
            ReadTransaction tx, Function<? super ReadTransaction, ? extends CompletableFuture<T>> body) {
        return tx.getReadVersion().thenCompose(read -> {
            if (read < version) {
                throw new SequenceNotVisibleException(read, sequence);
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
