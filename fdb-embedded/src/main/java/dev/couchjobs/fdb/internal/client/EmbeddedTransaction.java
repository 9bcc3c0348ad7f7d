package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.KeyArrayResult;
import com.apple.foundationdb.KeyRangeArrayResult;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MappedKeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionOptions;
import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.async.AsyncUtil;
import dev.couchjobs.fdb.internal.binding.RangeReads;
import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.AtomicMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.KeySpaceBounds;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The object that a user holds, valid until it is closed or {@code onError} hands its transaction over to a new one. It
 * checks that and its arguments, copies the arrays it is given, and leaves the rest to {@link ClientTransaction}.
 */
final class EmbeddedTransaction implements Transaction, RangeReads {
    private enum State {
        OPEN,
        HANDED_OVER,
        CLOSED
    }

    private final EngineDatabase database;
    private final Engine engine;
    private final ClientTransaction transaction;
    private final TransactionOptions options = new TransactionOptions(this::setOption);
    private final SnapshotReads snapshot = new SnapshotReads(this);
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    EmbeddedTransaction(EngineDatabase database, Engine engine, ClientTransaction transaction) {
        this.database = database;
        this.engine = engine;
        this.transaction = transaction;
    }

    /** A read by this transaction, or through its snapshot view. */
    <T extends @Nullable Object> CompletableFuture<T> readNow(Function<TransactionReads, T> read) {
        return open().read(read);
    }

    @Override
    public boolean isSnapshot() {
        return false;
    }

    @Override
    public ReadTransaction snapshot() {
        return snapshot;
    }

    @Override
    public TransactionOptions options() {
        return options;
    }

    @Override
    public Database getDatabase() {
        return database;
    }

    @Override
    public Executor getExecutor() {
        return transaction.executor();
    }

    @Override
    public CompletableFuture<Long> getReadVersion() {
        return open().getReadVersion();
    }

    @Override
    public void setReadVersion(long version) {
        open().setReadVersion(version);
    }

    @Override
    public CompletableFuture<byte[]> get(byte[] key) {
        return get(key, false);
    }

    CompletableFuture<byte[]> get(byte[] key, boolean fromSnapshot) {
        byte[] copy = copy(key);
        if (KeySpaceBounds.isConnectionString(copy)) {
            var unused = open();
            return CompletableFuture.completedFuture(engine.connectionString());
        }
        KeySpaceBounds.refuseSpecial(copy);
        return readNow(reads -> reads.get(copy, fromSnapshot));
    }

    @Override
    public CompletableFuture<byte[]> getKey(KeySelector selector) {
        return getKey(selector, false);
    }

    CompletableFuture<byte[]> getKey(KeySelector selector, boolean fromSnapshot) {
        return readNow(reads -> reads.getKey(selector, fromSnapshot));
    }

    @Override
    public AsyncIterable<KeyValue> getRange(
            KeySelector begin, KeySelector end, int limit, boolean reverse, StreamingMode mode) {
        return getRange(begin, end, limit, false, reverse, mode);
    }

    AsyncIterable<KeyValue> getRange(
            KeySelector begin, KeySelector end, int limit, boolean fromSnapshot, boolean reverse, StreamingMode mode) {
        KeySpaceBounds.refuseSpecial(begin.getKey());
        return new RangeQuery(this, begin, end, limit, fromSnapshot, reverse, mode);
    }

    @Override
    public AsyncIterable<MappedKeyValue> getMappedRange(
            KeySelector begin, KeySelector end, byte[] mapper, int limit, boolean reverse, StreamingMode mode) {
        throw Unsupported.mappedRanges();
    }

    @Override
    public CompletableFuture<KeyRangeArrayResult> getBlobGranuleRanges(byte[] begin, byte[] end, int rowLimit) {
        throw Unsupported.blobGranules();
    }

    @Override
    public CompletableFuture<Long> getEstimatedRangeSizeBytes(byte[] begin, byte[] end) {
        byte[] from = copy(begin);
        byte[] to = copy(end);
        return readNow(reads -> estimates().bytes(from, to));
    }

    @Override
    public CompletableFuture<KeyArrayResult> getRangeSplitPoints(byte[] begin, byte[] end, long chunkSize) {
        byte[] from = copy(begin);
        byte[] to = copy(end);
        return readNow(reads -> {
            reads.checkLegal(from);
            reads.checkLegal(to);
            return estimates().splitPoints(from, to, chunkSize);
        });
    }

    @Override
    public void addReadConflictRange(byte[] begin, byte[] end) {
        open().addReadConflict(range(begin, end));
    }

    @Override
    public void addReadConflictKey(byte[] key) {
        open().addReadConflict(KeyRange.of(copy(key)));
    }

    @Override
    public boolean addReadConflictRangeIfNotSnapshot(byte[] begin, byte[] end) {
        addReadConflictRange(begin, end);
        return true;
    }

    @Override
    public boolean addReadConflictKeyIfNotSnapshot(byte[] key) {
        addReadConflictKey(key);
        return true;
    }

    @Override
    public void addWriteConflictRange(byte[] begin, byte[] end) {
        KeyRange range = range(begin, end);
        open().write(writes -> writes.addConflict(range.begin(), range.end()));
    }

    @Override
    public void addWriteConflictKey(byte[] key) {
        KeyRange range = KeyRange.of(copy(key));
        open().write(writes -> writes.addConflict(range.begin(), range.end()));
    }

    @Override
    public void set(byte[] key, byte[] value) {
        byte[] keyCopy = copy(key);
        byte[] valueCopy = copy(value);
        KeySpaceBounds.refuseSpecial(keyCopy);
        open().write(writes -> writes.set(keyCopy, valueCopy));
    }

    @Override
    public void clear(byte[] key) {
        byte[] copy = copy(key);
        KeySpaceBounds.refuseSpecial(copy);
        open().write(writes -> writes.clear(copy));
    }

    @Override
    public void clear(byte[] beginKey, byte[] endKey) {
        byte[] begin = copy(beginKey);
        byte[] end = copy(endKey);
        open().write(writes -> writes.clear(begin, end));
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
    public void mutate(MutationType optype, byte[] key, byte[] param) {
        AtomicMutation mutation = AtomicMutation.of(optype);
        byte[] keyCopy = copy(key);
        byte[] operand = copy(param);
        open().write(writes -> writes.mutate(mutation, keyCopy, operand));
    }

    @Override
    @SuppressWarnings("NullAway") // the interface says Void, and there is only one
    public CompletableFuture<Void> commit() {
        return open().commit();
    }

    /** For the blocking retry loop. */
    void commitAndWait() {
        open().commitAndWait();
    }

    @Override
    public Long getCommittedVersion() {
        return open().getCommittedVersion();
    }

    @Override
    public CompletableFuture<byte[]> getVersionstamp() {
        return open().getVersionstamp();
    }

    @Override
    public CompletableFuture<Long> getApproximateSize() {
        return open().getApproximateSize();
    }

    @Override
    @SuppressWarnings("NullAway") // the interface says Void, and there is only one
    public CompletableFuture<Void> watch(byte[] key) {
        return open().watch(copy(key));
    }

    @Override
    public void cancel() {
        open().cancel();
    }

    @Override
    public CompletableFuture<Transaction> onError(Throwable error) {
        return retryAfter(error).thenApply(fresh -> fresh);
    }

    CompletableFuture<EmbeddedTransaction> retryAfter(Throwable error) {
        Throwable cause = error;
        if ((error instanceof CompletionException || error instanceof ExecutionException) && error.getCause() != null) {
            cause = error.getCause();
        }
        if (!(cause instanceof FDBException failure)) {
            return CompletableFuture.failedFuture(cause);
        }
        ClientTransaction handedOver = open();
        if (!state.compareAndSet(State.OPEN, State.HANDED_OVER)) {
            return retryAfter(error);
        }
        return handedOver.onError(failure).thenApply(fresh -> new EmbeddedTransaction(database, engine, handedOver));
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
        if (state.compareAndSet(State.OPEN, State.CLOSED)) {
            transaction.close();
        }
    }

    private void setOption(int code, byte @Nullable [] value) {
        TransactionOption option = TransactionOption.of(code);
        ClientTransaction target = open();
        if (option.hasEffect()) {
            target.setOption(option, value == null ? null : copy(value));
        }
    }

    private ClientTransaction open() {
        if (state.get() == State.OPEN) {
            return transaction;
        }
        throw new IllegalStateException(
                state.get() == State.CLOSED
                        ? "The transaction is closed"
                        : "onError has handed this transaction over; go on with the one that it returns");
    }

    private RangeEstimates estimates() {
        return new RangeEstimates(engine.versions().latest().contents());
    }

    private static KeyRange range(byte[] begin, byte[] end) {
        if (Bytes.less(end, begin)) {
            throw FdbError.INVERTED_RANGE.exception();
        }
        return new KeyRange(copy(begin), copy(end));
    }

    private static byte[] copy(byte[] argument) {
        if (argument == null) {
            throw new IllegalArgumentException("Keys and values may not be null");
        }
        return argument.clone();
    }
}
