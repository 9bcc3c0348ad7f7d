package dev.couchjobs.fdb.embedded;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A storage in memory that is done with a batch, or fails it, when the test says so. */
final class ManualStorage implements Storage {
    private final MemoryStorage memory = new MemoryStorage();
    private final Deque<CompletableFuture<@Nullable Void>> pending = new ArrayDeque<>();

    private @Nullable Error nextError;
    private @Nullable RuntimeException nextEditFailure;

    int pending() {
        return pending.size();
    }

    void finishNext() {
        pending.remove().complete(null);
    }

    void failNext(RuntimeException error) {
        pending.remove().completeExceptionally(error);
    }

    /** The next batch is met by an error at once. */
    void throwNext(Error error) {
        nextError = error;
    }

    /** The next batch cannot be decided. */
    void failNextEdit(RuntimeException error) {
        nextEditFailure = error;
    }

    @Override
    public CompletableFuture<@Nullable Void> persist(List<Batch> batches) {
        Error error = nextError;
        nextError = null;
        if (error != null) {
            throw error;
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        pending.add(done);
        return done;
    }

    @Override
    public Snapshot recovered() {
        return memory.recovered();
    }

    @Override
    public void start(LongSupplier oldestReadable) {}

    @Override
    public long ceiling() {
        return memory.ceiling();
    }

    @Override
    public Edit edit(long version, Contents latest) {
        RuntimeException failure = nextEditFailure;
        nextEditFailure = null;
        if (failure != null) {
            throw failure;
        }
        return memory.edit(version, latest);
    }

    @Override
    public void close(long newest) {}
}
