package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Edit;
import dev.couchjobs.fdb.internal.versions.MemoryContents;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import dev.couchjobs.fdb.internal.versions.VersionWindow;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Storage in memory: an engine on it begins empty, and its contents are lost when it closes. */
public final class MemoryStorage implements Storage {
    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    private final long contentsBytes;

    /** Holds rows of at most {@code contentsBytes}. */
    public MemoryStorage(long contentsBytes) {
        this.contentsBytes = contentsBytes;
    }

    @Override
    public Snapshot recovered() {
        return new Snapshot(VersionWindow.FIRST_VERSION, MemoryContents.EMPTY);
    }

    @Override
    public void start(LongSupplier oldestReadable) {}

    @Override
    public long ceiling() {
        return Long.MAX_VALUE;
    }

    @Override
    public Edit edit(long version, Contents latest) {
        return new MemoryContents.MemoryEdit(((MemoryContents) latest).map(), contentsBytes);
    }

    @Override
    public CompletableFuture<@Nullable Void> persist(List<Batch> batches) {
        return DONE;
    }

    @Override
    public @Nullable StorageException failure() {
        return null;
    }

    @Override
    public void backUp(Path directory) {
        throw new UnsupportedOperationException("A database in memory has no backup: open one in a directory.");
    }

    @Override
    public void close(long newest) {}
}
