package dev.couchjobs.fdb.model;

import com.apple.foundationdb.FDBException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The reads of a transaction, with conflicts or, as a snapshot, without. */
class ModelReads implements RangeReads {

    private static final int RANGE_LIMITS_INVALID = 2012;
    private static final int EXACT_MODE_WITHOUT_LIMITS = 2210;
    private static final int NEXT_WRITE_NO_WRITE_CONFLICT_RANGE = 30;
    private static final int READ_YOUR_WRITES_DISABLE = 51;
    private static final int SNAPSHOT_RYW_DISABLE = 601;

    final ModelAttempt attempt;
    private final boolean snapshot;

    ModelReads(ModelAttempt attempt, boolean snapshot) {
        this.attempt = attempt;
        this.snapshot = snapshot;
    }

    static <T extends @Nullable Object> CompletableFuture<T> answer(Supplier<T> question) {
        try {
            return CompletableFuture.completedFuture(question.get());
        } catch (FDBException error) {
            return CompletableFuture.failedFuture(error);
        }
    }

    @Override
    public boolean isSnapshot() {
        return snapshot;
    }

    @Override
    public ReadTransaction snapshot() {
        return new ModelReads(attempt, true);
    }

    @Override
    public CompletableFuture<Long> getReadVersion() {
        return answer(() -> {
            attempt.checkNotPoisoned();
            attempt.checkNotCancelled();
            return attempt.version().number();
        });
    }

    @Override
    public void setReadVersion(long version) {
        attempt.readAt(version);
    }

    @Override
    public boolean addReadConflictRangeIfNotSnapshot(byte[] begin, byte[] end) {
        if (!snapshot) {
            attempt.declareRead(new ModelKeyRange(Text.of(begin), Text.of(end)));
        }
        return !snapshot;
    }

    @Override
    public boolean addReadConflictKeyIfNotSnapshot(byte[] key) {
        if (!snapshot) {
            attempt.declareRead(ModelKeyRange.of(Text.of(key)));
        }
        return !snapshot;
    }

    @Override
    public CompletableFuture<byte[]> get(byte[] key) {
        return answer(() -> {
            String value = attempt.get(Text.of(key), snapshot);
            return value == null ? null : Text.bytes(value);
        });
    }

    @Override
    public CompletableFuture<byte[]> getKey(KeySelector selector) {
        return answer(() -> Text.bytes(attempt.getKey(Selection.of(selector), snapshot)));
    }

    @Override
    public AsyncIterable<KeyValue> getRange(
            KeySelector begin, KeySelector end, int limit, boolean reverse, StreamingMode mode) {
        RangeRead read = new RangeRead(Selection.of(begin), Selection.of(end), limit, reverse);
        return new ModelRange(() -> answer(() -> {
            if (mode == StreamingMode.EXACT && limit == 0) {
                throw ModelAttempt.error(EXACT_MODE_WITHOUT_LIMITS);
            }
            if (limit < 0) {
                throw ModelAttempt.error(RANGE_LIMITS_INVALID);
            }
            return rows(attempt.getRange(read, chunkBytes(mode), snapshot));
        }));
    }

    private static int chunkBytes(StreamingMode mode) {
        return switch (mode) {
            case EXACT -> 0;
            case SMALL -> 256;
            case MEDIUM -> 1_000;
            case LARGE, ITERATOR -> 4_096;
            case WANT_ALL, SERIAL -> 80_000;
        };
    }

    private static List<KeyValue> rows(List<String> keysAndValues) {
        List<KeyValue> rows = new ArrayList<>();
        for (int i = 0; i < keysAndValues.size(); i += 2) {
            rows.add(new KeyValue(Text.bytes(keysAndValues.get(i)), Text.bytes(keysAndValues.get(i + 1))));
        }
        return rows;
    }

    @Override
    public CompletableFuture<Long> getEstimatedRangeSizeBytes(byte[] begin, byte[] end) {
        return answer(() -> {
            attempt.checkUsable();
            return 0L;
        });
    }

    @Override
    public CompletableFuture<KeyArrayResult> getRangeSplitPoints(byte[] begin, byte[] end, long chunkSize) {
        return answer(() -> {
            attempt.checkUsable();
            return new KeyArrayResult(new byte[0], new int[0]);
        });
    }

    /** All other options change nothing in the model. */
    @Override
    public TransactionOptions options() {
        return new TransactionOptions((code, value) -> {
            switch (code) {
                case NEXT_WRITE_NO_WRITE_CONFLICT_RANGE -> attempt.skipNextConflict();
                case READ_YOUR_WRITES_DISABLE -> attempt.hideWrites();
                case SNAPSHOT_RYW_DISABLE -> attempt.hideWritesFromSnapshots();
                default -> {}
            }
        });
    }

    @Override
    public Executor getExecutor() {
        return Runnable::run;
    }

    @Override
    public AsyncIterable<MappedKeyValue> getMappedRange(
            KeySelector begin, KeySelector end, byte[] mapper, int limit, boolean reverse, StreamingMode mode) {
        throw new UnsupportedOperationException("Not part of the model");
    }

    @Override
    public CompletableFuture<KeyRangeArrayResult> getBlobGranuleRanges(byte[] begin, byte[] end, int rowLimit) {
        throw new UnsupportedOperationException("Not part of the model");
    }
}
