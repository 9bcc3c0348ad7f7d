package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.storage.MemoryStorage;
import dev.couchjobs.fdb.internal.storage.Storage;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Edit;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A storage in memory that is done with a batch, or fails it, when the test says so. */
public final class ManualStorage implements Storage {
    private final MemoryStorage memory = new MemoryStorage(Long.MAX_VALUE);
    private final Deque<CompletableFuture<@Nullable Void>> pending = new ArrayDeque<>();

    private @Nullable StorageException failure;
    private @Nullable Error nextError;
    private @Nullable RuntimeException nextEditFailure;
    private @Nullable Error nextEditError;
    private int contentsUntilError;

    int pending() {
        return pending.size();
    }

    void finishNext() {
        pending.remove().complete(null);
    }

    void failNext(RuntimeException error) {
        pending.remove().completeExceptionally(error);
    }

    /** The write under way fails, and no other will succeed. */
    void failForGood(StorageException error) {
        failure = error;
        failNext(error);
    }

    /** The next batch is met by an error at once. */
    void throwNext(Error error) {
        nextError = error;
    }

    /** The next batch cannot be decided. */
    void failNextEdit(RuntimeException error) {
        nextEditFailure = error;
    }

    /**
     * The next batch meets an error in the middle of what is done with it: when its contents are asked for that often.
     */
    void throwWhenAskedForContents(Error error, int times) {
        nextEditError = error;
        contentsUntilError = times;
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
        Error error = nextEditError;
        nextEditError = null;
        Edit edit = memory.edit(version, latest);
        return error == null ? edit : new FailingEdit(edit, error, new AtomicInteger(contentsUntilError));
    }

    private record FailingEdit(Edit edit, Error error, AtomicInteger countdown) implements Edit {
        @Override
        public byte @Nullable [] get(byte[] key) {
            return edit.get(key);
        }

        @Override
        public void set(byte[] key, byte[] value) {
            edit.set(key, value);
        }

        @Override
        public void setAll(List<byte[]> keys, List<byte[]> values) {
            edit.setAll(keys, values);
        }

        @Override
        public void clear(byte[] begin, byte[] end) {
            edit.clear(begin, end);
        }

        @Override
        public void clear(byte[] key) {
            edit.clear(key);
        }

        @Override
        public List<BaseMutation> mutations() {
            return edit.mutations();
        }

        @Override
        public Contents contents() {
            if (countdown.decrementAndGet() == 0) {
                throw error;
            }
            return edit.contents();
        }
    }

    @Override
    public @Nullable StorageException failure() {
        return failure;
    }

    /** A backup meets an error. */
    @Override
    public void backUp(Path directory) {
        throw new OutOfMemoryError("planted");
    }

    @Override
    public void close(long newest) {}
}
