package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.internal.common.Completions;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Edit;
import dev.couchjobs.fdb.internal.versions.MemoryContents;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Storage of a simulation: persists after a simulated delay, can be lost at any moment, and keeps the durable snapshot
 * for the storage that replaces it. Used by the one thread of a simulation.
 */
public final class SimulatedStorage implements Storage {
    private final Supplier<? extends CompletableFuture<?>> disk;
    private final Snapshot recovered;
    private Snapshot durable;
    private @Nullable Write inProgress;
    private boolean lost;

    private record Write(Snapshot after, CompletableFuture<@Nullable Void> done) {}

    /** Starts with a recovered snapshot; a write is durable when the future from {@code disk} completes. */
    public SimulatedStorage(Snapshot recovered, Supplier<? extends CompletableFuture<?>> disk) {
        this.recovered = recovered;
        this.durable = recovered;
        this.disk = disk;
    }

    @Override
    public Snapshot recovered() {
        return recovered;
    }

    /** Memory keeps all versions that a transaction can read. */
    @Override
    public void start(LongSupplier oldestReadable) {}

    @Override
    public long ceiling() {
        return Long.MAX_VALUE;
    }

    @Override
    public Edit edit(long version, Contents latest) {
        return new MemoryContents.MemoryEdit(((MemoryContents) latest).map());
    }

    @Override
    public CompletableFuture<@Nullable Void> persist(List<Batch> batches) {
        if (lost) {
            return CompletableFuture.failedFuture(unknown());
        }
        Batch last = batches.get(batches.size() - 1);
        Snapshot after = new Snapshot(last.version(), last.edit().contents());
        Write write = new Write(after, new CompletableFuture<>());
        inProgress = write;
        Completions.whenSettled(disk.get(), error -> finish(write));
        return write.done;
    }

    private void finish(Write write) {
        if (!write.done.isDone()) {
            inProgress = null;
            durable = write.after;
            write.done.complete(null);
        }
    }

    /** Loses the storage; {@code writeCompletes} tells whether the write in progress becomes durable. */
    public void lose(boolean writeCompletes) {
        lost = true;
        Write write = inProgress;
        inProgress = null;
        if (write != null) {
            durable = writeCompletes ? write.after : durable;
            write.done.completeExceptionally(unknown());
        }
    }

    public Snapshot durable() {
        return durable;
    }

    private static RuntimeException unknown() {
        return FdbError.COMMIT_UNKNOWN_RESULT.exception("the store was lost");
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
