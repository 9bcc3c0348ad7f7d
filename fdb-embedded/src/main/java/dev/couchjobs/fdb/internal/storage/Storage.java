package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Edit;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Persists committed contents. The engine decides batches in sequence, each as an {@link Edit} of the previous
 * contents, and persists them in that order; deciding runs ahead of persisting.
 */
public interface Storage {
    /** A decided batch: its commit version, and its edit. */
    record Batch(long version, Edit edit) {}

    /**
     * The snapshot with which a new engine begins. Its version is at least as great as any that an earlier engine has
     * handed out.
     */
    Snapshot recovered();

    /** Called once, before the methods below. No version less than {@code oldestReadable} can be read. */
    void start(LongSupplier oldestReadable);

    /** No version greater than this may be handed out, or versions might decrease after a restart. */
    long ceiling();

    /** Begins the edit of the next batch. Called by one thread at a time, in the order of batches. */
    Edit edit(long version, Contents latest);

    /**
     * Makes batches durable, atomically. The next call comes when the future is done. May block and must ignore
     * interrupts, because application threads call it when they wait for their commits. If the future fails, the
     * batches may or may not be durable when the storage is next opened.
     */
    CompletableFuture<@Nullable Void> persist(List<Batch> batches);

    /** {@return why nothing can be persisted any more, whatever is done in this process; null if it can} */
    @Nullable StorageException failure();

    /** Writes a copy of all that is durable into a directory, which it makes. Blocks; any thread may call it. */
    void backUp(Path directory);

    /** Called last; {@code newest} is the greatest version handed out. */
    void close(long newest);
}
