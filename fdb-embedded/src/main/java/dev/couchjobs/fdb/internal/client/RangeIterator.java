package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.async.AsyncIterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over a range read. Like the Java binding it fetches the first chunk when it is made and each further one as
 * soon as the first row of the chunk before it is taken, so a transaction that writes while it iterates sees the same.
 * Thread-safe.
 */
final class RangeIterator implements AsyncIterator<KeyValue> {
    private final EmbeddedTransaction transaction;
    private final RangeQuery.Fetches fetches;

    private @Nullable RangeChunk chunk;
    private int index;
    private @Nullable CompletableFuture<RangeChunk> ahead;
    private byte @Nullable [] previousKey;
    private boolean cancelled;

    RangeIterator(EmbeddedTransaction transaction, RangeQuery.Fetches fetches) {
        this.transaction = transaction;
        this.fetches = fetches;
        this.ahead = fetches.next();
    }

    @Override
    public synchronized CompletableFuture<Boolean> onHasNext() {
        if (cancelled) {
            throw new CancellationException();
        }
        CompletableFuture<RangeChunk> fetch = ahead;
        if (isUsedUp(chunk) && fetch != null) {
            if (fetch.isCompletedExceptionally()) {
                return fetch.thenApply(never -> false);
            }
            chunk = fetch.join();
            index = 0;
            ahead = null;
        }
        return CompletableFuture.completedFuture(!isUsedUp(chunk));
    }

    @Override
    public boolean hasNext() {
        return onHasNext().join();
    }

    @Override
    public synchronized KeyValue next() {
        RangeChunk current = hasNext() ? chunk : null;
        if (current == null) {
            throw new NoSuchElementException();
        }
        KeyValue row = current.rows().get(index);
        if (index == 0 && fetches.hasMore()) {
            ahead = fetches.next();
        }
        index++;
        previousKey = row.getKey();
        return row;
    }

    /** Clears the key last returned, in the transaction that reads. */
    @Override
    public synchronized void remove() {
        if (previousKey == null) {
            throw new IllegalStateException("Nothing has been read that could be removed");
        }
        transaction.clear(previousKey);
    }

    @Override
    public synchronized void cancel() {
        cancelled = true;
    }

    private boolean isUsedUp(@Nullable RangeChunk current) {
        return current == null || index >= current.rows().size();
    }
}
