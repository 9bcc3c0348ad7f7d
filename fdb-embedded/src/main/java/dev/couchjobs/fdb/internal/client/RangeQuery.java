package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.async.AsyncIterator;
import dev.couchjobs.fdb.internal.common.FdbError;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A range read that has not been done yet; every iterator does it again. */
final class RangeQuery implements AsyncIterable<KeyValue> {
    private final EmbeddedTransaction transaction;
    private final KeySelector begin;
    private final KeySelector end;
    private final int rowLimit;
    private final boolean snapshot;
    private final boolean reverse;
    private final StreamingMode mode;

    RangeQuery(
            EmbeddedTransaction transaction,
            KeySelector begin,
            KeySelector end,
            int rowLimit,
            boolean snapshot,
            boolean reverse,
            StreamingMode mode) {
        this.transaction = transaction;
        this.begin = begin;
        this.end = end;
        this.rowLimit = rowLimit;
        this.snapshot = snapshot;
        this.reverse = reverse;
        this.mode = mode;
    }

    @Override
    public AsyncIterator<KeyValue> iterator() {
        return new RangeIterator(transaction, new Fetches(this, mode));
    }

    @Override
    public CompletableFuture<List<KeyValue>> asList() {
        StreamingMode whole = rowLimit == 0 ? StreamingMode.WANT_ALL : StreamingMode.EXACT;
        Fetches fetches = new Fetches(this, mode == StreamingMode.ITERATOR ? whole : mode);
        CompletableFuture<RangeChunk> chunk = fetches.next();
        List<KeyValue> rows = new ArrayList<>();
        while (fetches.hasMore()) {
            rows.addAll(chunk.join().rows());
            chunk = fetches.next();
        }
        CompletableFuture<List<KeyValue>> last = chunk.thenApply(RangeChunk::rows);
        if (rows.isEmpty() || last.isCompletedExceptionally()) {
            return last;
        }
        rows.addAll(last.join());
        return CompletableFuture.completedFuture(rows);
    }

    /** The fetches that make up one reading of the range, each beginning where the one before ended. */
    static final class Fetches {
        private final RangeQuery query;
        private final StreamingMode mode;
        private KeySelector begin;
        private KeySelector end;
        private int rowsLeft;
        private int fetched;
        private boolean more = true;

        Fetches(RangeQuery query, StreamingMode mode) {
            this.query = query;
            this.mode = mode;
            this.begin = query.begin;
            this.end = query.end;
            this.rowsLeft = query.rowLimit;
        }

        boolean hasMore() {
            return more;
        }

        /** Already completed. */
        CompletableFuture<RangeChunk> next() {
            fetched++;
            more = false;
            CompletableFuture<RangeChunk> fetch;
            if (mode == StreamingMode.EXACT && query.rowLimit == 0) {
                // Even of a transaction that is over or poisoned: FoundationDB looks at its arguments first.
                fetch = CompletableFuture.failedFuture(FdbError.EXACT_MODE_WITHOUT_LIMITS.exception());
            } else {
                RangeRequest request =
                        RangeRequest.of(begin, end, rowsLeft, mode, fetched, query.snapshot, query.reverse);
                fetch = query.transaction.readNow(reads -> reads.getRange(request));
            }
            if (!fetch.isCompletedExceptionally()) {
                continueAfter(fetch.join());
            }
            return fetch;
        }

        private void continueAfter(RangeChunk chunk) {
            if (!chunk.more()) {
                return;
            }
            byte[] last = chunk.rows().get(chunk.rows().size() - 1).getKey();
            if (query.reverse) {
                end = KeySelector.firstGreaterOrEqual(last.clone());
            } else {
                begin = KeySelector.firstGreaterThan(last.clone());
            }
            if (query.rowLimit != 0) {
                rowsLeft -= chunk.rows().size();
            }
            more = query.rowLimit == 0 || rowsLeft > 0;
        }
    }
}
