package dev.couchjobs.server.internal.dispatch;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs one transaction in a database, and says afterwards which sequence its commit has. */
final class CommittedContext implements TransactionContext {
    private final Database database;
    private volatile @Nullable CompletableFuture<byte[]> versionstamp;

    CommittedContext(Database database) {
        this.database = database;
    }

    /** {@return the sequence of the commit, in hexadecimal; empty if nothing was written} */
    CompletableFuture<Optional<String>> sequence() {
        CompletableFuture<byte[]> stamp = versionstamp;
        return stamp == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : stamp.handle((bytes, error) -> bytes == null
                        ? Optional.empty()
                        : Optional.of(HexFormat.of().formatHex(bytes)));
    }

    private void begin(Transaction tx) {
        versionstamp = tx.getVersionstamp();
    }

    @Override
    public <T> T run(Function<? super Transaction, T> retryable) {
        return database.run(tx -> {
            begin(tx);
            return retryable.apply(tx);
        });
    }

    @Override
    public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> retryable) {
        return database.runAsync(tx -> {
            begin(tx);
            return retryable.apply(tx);
        });
    }

    @Override
    public <T> T read(Function<? super ReadTransaction, T> retryable) {
        return database.read(retryable);
    }

    @Override
    public <T> CompletableFuture<T> readAsync(
            Function<? super ReadTransaction, ? extends CompletableFuture<T>> retryable) {
        return database.readAsync(retryable);
    }

    @Override
    public Executor getExecutor() {
        return database.getExecutor();
    }
}
