package dev.couchjobs.fdb.internal.binding;

import com.apple.foundationdb.KeyArrayResult;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.async.AsyncUtil;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The many forms in which FoundationDB's interface offers a read, reduced to those with all their arguments. */
public interface RangeReads extends ReadTransaction {
    @Override
    default AsyncIterable<KeyValue> getRange(KeySelector begin, KeySelector end) {
        return getRange(begin, end, ROW_LIMIT_UNLIMITED);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(KeySelector begin, KeySelector end, int limit) {
        return getRange(begin, end, limit, false);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(KeySelector begin, KeySelector end, int limit, boolean reverse) {
        return getRange(begin, end, limit, reverse, StreamingMode.ITERATOR);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(byte[] begin, byte[] end) {
        return getRange(begin, end, ROW_LIMIT_UNLIMITED);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(byte[] begin, byte[] end, int limit) {
        return getRange(begin, end, limit, false);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(byte[] begin, byte[] end, int limit, boolean reverse) {
        return getRange(begin, end, limit, reverse, StreamingMode.ITERATOR);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(byte[] begin, byte[] end, int limit, boolean reverse, StreamingMode mode) {
        return getRange(
                KeySelector.firstGreaterOrEqual(begin), KeySelector.firstGreaterOrEqual(end), limit, reverse, mode);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(Range range) {
        return getRange(range, ROW_LIMIT_UNLIMITED);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(Range range, int limit) {
        return getRange(range, limit, false);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(Range range, int limit, boolean reverse) {
        return getRange(range, limit, reverse, StreamingMode.ITERATOR);
    }

    @Override
    default AsyncIterable<KeyValue> getRange(Range range, int limit, boolean reverse, StreamingMode mode) {
        return getRange(range.begin, range.end, limit, reverse, mode);
    }

    @Override
    default CompletableFuture<Long> getEstimatedRangeSizeBytes(Range range) {
        return getEstimatedRangeSizeBytes(range.begin, range.end);
    }

    @Override
    default CompletableFuture<KeyArrayResult> getRangeSplitPoints(Range range, long chunkSize) {
        return getRangeSplitPoints(range.begin, range.end, chunkSize);
    }

    @Override
    default <T> T read(Function<? super ReadTransaction, T> retryable) {
        return retryable.apply(this);
    }

    @Override
    default <T> CompletableFuture<T> readAsync(
            Function<? super ReadTransaction, ? extends CompletableFuture<T>> retryable) {
        return AsyncUtil.applySafely(retryable, this);
    }
}
