package dev.couchjobs.fdb.model;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.async.AsyncIterator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A range read, done in one go. */
record ModelRange(Supplier<CompletableFuture<List<KeyValue>>> read) implements AsyncIterable<KeyValue> {

    @Override
    public CompletableFuture<List<KeyValue>> asList() {
        return read.get();
    }

    @Override
    public AsyncIterator<KeyValue> iterator() {
        CompletableFuture<List<KeyValue>> rows = read.get();
        CompletableFuture<Iterator<KeyValue>> iterator = rows.thenApply(List::iterator);
        return new AsyncIterator<>() {
            @Override
            public CompletableFuture<Boolean> onHasNext() {
                return iterator.thenApply(Iterator::hasNext);
            }

            @Override
            public boolean hasNext() {
                return onHasNext().join();
            }

            @Override
            public KeyValue next() {
                return iterator.join().next();
            }

            @Override
            public void cancel() {}
        };
    }
}
