package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.KeyArrayResult;
import com.apple.foundationdb.KeyRangeArrayResult;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MappedKeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.TransactionOptions;
import com.apple.foundationdb.async.AsyncIterable;
import dev.couchjobs.fdb.internal.binding.RangeReads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The reading half of a transaction: hands everything on, and has whatever it reads go wrong as planned. */
class FaultyReadTransaction implements RangeReads {
    private final ReadTransaction delegate;
    private final FaultyReads reads;

    FaultyReadTransaction(ReadTransaction delegate, FaultyReads reads) {
        this.delegate = delegate;
        this.reads = reads;
    }

    @Override
    public boolean isSnapshot() {
        return delegate.isSnapshot();
    }

    @Override
    public ReadTransaction snapshot() {
        return new FaultyReadTransaction(delegate.snapshot(), reads);
    }

    @Override
    public CompletableFuture<Long> getReadVersion() {
        return reads.read(delegate::getReadVersion);
    }

    @Override
    public void setReadVersion(long version) {
        delegate.setReadVersion(version);
    }

    @Override
    public boolean addReadConflictRangeIfNotSnapshot(byte[] keyBegin, byte[] keyEnd) {
        return delegate.addReadConflictRangeIfNotSnapshot(keyBegin, keyEnd);
    }

    @Override
    public boolean addReadConflictKeyIfNotSnapshot(byte[] key) {
        return delegate.addReadConflictKeyIfNotSnapshot(key);
    }

    @Override
    public CompletableFuture<byte[]> get(byte[] key) {
        return isSpecial(key) ? delegate.get(key) : reads.read(() -> delegate.get(key));
    }

    /** What the client knows by itself is not asked for on the way on which things go wrong. */
    private static boolean isSpecial(byte[] key) {
        return key.length > 1 && key[0] == (byte) 0xFF && key[1] == (byte) 0xFF;
    }

    @Override
    public CompletableFuture<byte[]> getKey(KeySelector selector) {
        return reads.read(() -> delegate.getKey(selector));
    }

    @Override
    public AsyncIterable<KeyValue> getRange(
            KeySelector begin, KeySelector end, int limit, boolean reverse, StreamingMode mode) {
        return reads.range(delegate.getRange(begin, end, limit, reverse, mode));
    }

    @Override
    public AsyncIterable<MappedKeyValue> getMappedRange(
            KeySelector begin, KeySelector end, byte[] mapper, int limit, boolean reverse, StreamingMode mode) {
        return reads.range(delegate.getMappedRange(begin, end, mapper, limit, reverse, mode));
    }

    @Override
    public CompletableFuture<Long> getEstimatedRangeSizeBytes(byte[] begin, byte[] end) {
        return reads.read(() -> delegate.getEstimatedRangeSizeBytes(begin, end));
    }

    @Override
    public CompletableFuture<KeyArrayResult> getRangeSplitPoints(byte[] begin, byte[] end, long chunkSize) {
        return reads.read(() -> delegate.getRangeSplitPoints(begin, end, chunkSize));
    }

    @Override
    public CompletableFuture<KeyRangeArrayResult> getBlobGranuleRanges(byte[] begin, byte[] end, int rowLimit) {
        return reads.read(() -> delegate.getBlobGranuleRanges(begin, end, rowLimit));
    }

    @Override
    public TransactionOptions options() {
        return delegate.options();
    }

    @Override
    public Executor getExecutor() {
        return delegate.getExecutor();
    }
}
