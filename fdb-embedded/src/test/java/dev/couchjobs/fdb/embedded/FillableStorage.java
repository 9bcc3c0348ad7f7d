package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.storage.Storage;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Edit;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Another storage on a disk that the test can fill up. */
public record FillableStorage(Storage storage, AtomicBoolean full) implements Storage {
    @Override
    public CompletableFuture<@Nullable Void> persist(List<Batch> batches) {
        return full.get()
                ? CompletableFuture.failedFuture(new StorageFullException("no room", Path.of("db"), null))
                : storage.persist(batches);
    }

    @Override
    public Snapshot recovered() {
        return storage.recovered();
    }

    @Override
    public void start(LongSupplier oldestReadable) {
        storage.start(oldestReadable);
    }

    @Override
    public long ceiling() {
        return storage.ceiling();
    }

    @Override
    public Edit edit(long version, Contents latest) {
        return storage.edit(version, latest);
    }

    @Override
    public @Nullable StorageException failure() {
        return storage.failure();
    }

    @Override
    public void backUp(Path directory) {
        storage.backUp(directory);
    }

    @Override
    public void close(long newest) {
        storage.close(newest);
    }
}
