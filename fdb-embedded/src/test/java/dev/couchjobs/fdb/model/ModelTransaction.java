package dev.couchjobs.fdb.model;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** A transaction of the model. */
final class ModelTransaction extends ModelReads implements Transaction {

    private static final int INVERTED_RANGE = 2005;
    private static final Set<Integer> RETRYABLE =
            Set.of(1007, 1009, 1020, 1021, 1037, 1038, 1042, 1051, 1078, 1213, 1223);

    private final ModelDatabase database;

    ModelTransaction(ModelDatabase database, ModelAttempt attempt) {
        super(attempt, false);
        this.database = database;
    }

    @Override
    public void addReadConflictRange(byte[] begin, byte[] end) {
        attempt.declareRead(ordered(begin, end));
    }

    @Override
    public void addReadConflictKey(byte[] key) {
        attempt.declareRead(ModelKeyRange.of(Text.of(key)));
    }

    @Override
    public void addWriteConflictRange(byte[] begin, byte[] end) {
        attempt.declareWrite(ordered(begin, end));
    }

    @Override
    public void addWriteConflictKey(byte[] key) {
        attempt.declareWrite(ModelKeyRange.of(Text.of(key)));
    }

    private static ModelKeyRange ordered(byte[] begin, byte[] end) {
        ModelKeyRange range = new ModelKeyRange(Text.of(begin), Text.of(end));
        if (range.begin().compareTo(range.end()) > 0) {
            throw ModelAttempt.error(INVERTED_RANGE);
        }
        return range;
    }

    @Override
    public void set(byte[] key, byte[] value) {
        attempt.write(new Write.Put(Text.of(key), Text.of(value)));
    }

    @Override
    public void clear(byte[] key) {
        attempt.write(new Write.Clear(ModelKeyRange.of(Text.of(key))));
    }

    @Override
    public void clear(byte[] begin, byte[] end) {
        ModelKeyRange range = new ModelKeyRange(Text.of(begin), Text.of(end));
        if (range.begin().compareTo(range.end()) > 0) {
            attempt.poison(INVERTED_RANGE);
        } else {
            attempt.write(new Write.Clear(range));
        }
    }

    @Override
    public void clear(Range range) {
        clear(range.begin, range.end);
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // deprecated by the interface, not by us
    public void clearRangeStartsWith(byte[] prefix) {
        clear(Range.startsWith(prefix));
    }

    @Override
    public void mutate(MutationType type, byte[] key, byte[] param) {
        attempt.write(
                switch (type) {
                    case SET_VERSIONSTAMPED_KEY -> new Write.StampKey(Text.of(key), Text.of(param));
                    case SET_VERSIONSTAMPED_VALUE -> new Write.StampValue(Text.of(key), Text.of(param));
                    default -> new Write.Mutate(type, Text.of(key), Text.of(param));
                });
    }

    @Override
    @SuppressWarnings("NullAway") // the interface says Void, and there is only one
    public CompletableFuture<Void> commit() {
        return answer(() -> {
            attempt.commit();
            return null;
        });
    }

    @Override
    public Long getCommittedVersion() {
        return attempt.committedVersion();
    }

    @Override
    public CompletableFuture<byte[]> getVersionstamp() {
        CompletableFuture<byte[]> stamp = new CompletableFuture<>();
        try {
            attempt.awaitStamp(stamp);
        } catch (FDBException error) {
            stamp.completeExceptionally(error);
        }
        return stamp;
    }

    @Override
    public CompletableFuture<Long> getApproximateSize() {
        return answer(() -> {
            attempt.checkNotPoisoned();
            return 0L;
        });
    }

    @Override
    public CompletableFuture<Transaction> onError(Throwable e) {
        Throwable error = e instanceof CompletionException ? e.getCause() : e;
        return answer(() -> {
            attempt.checkNotCancelled();
            attempt.cancel();
            if (error instanceof FDBException failure && RETRYABLE.contains(failure.getCode())) {
                return new ModelTransaction(database, new ModelAttempt(database, attempt.committedVersion()));
            }
            throw error instanceof RuntimeException failure ? failure : new IllegalArgumentException(error);
        });
    }

    @Override
    public void cancel() {
        attempt.cancel();
    }

    @Override
    public CompletableFuture<Void> watch(byte[] key) {
        throw new UnsupportedOperationException("Not part of the model");
    }

    @Override
    public Database getDatabase() {
        return database;
    }

    @Override
    public <T> T run(Function<? super Transaction, T> retryable) {
        return retryable.apply(this);
    }

    @Override
    public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> retryable) {
        return AsyncUtil.applySafely(retryable, this);
    }

    @Override
    public void close() {
        attempt.cancel();
    }
}
