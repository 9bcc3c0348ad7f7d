package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Edit;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where committed data lives, and the one seam between the engine and what outlives it. The engine decides batches one
 * after the other, each as an {@link Edit} of the one before, and has them persisted in that order; deciding runs ahead
 * of persisting.
 */
public interface Storage {
    /** A batch that has been decided: the version at which it commits, and the edit that it is. */
    record Batch(long version, Edit edit) {}

    /**
     * What a new engine begins with, under a version not less than any that an engine before it may have handed out.
     */
    Snapshot recovered();

    /** Comes once, before all that follows; no version less than {@code oldestReadable} can be read any more. */
    void start(LongSupplier oldestReadable);

    /** No version greater than this may be handed out yet, or a restart might go back behind it. */
    long ceiling();

    /** Begins the next batch. Called by one thread at a time, in the order of batches. */
    Edit edit(long version, Contents latest);

    /**
     * Makes batches durable, together or not at all. The next call comes when the future is done. May block, on any
     * thread, so an interrupt must do nothing to it: users' threads come here with commits that they wait for.
     * Completes exceptionally with what went wrong, and then the batches may or may not be there when the storage is
     * opened next.
     */
    CompletableFuture<@Nullable Void> persist(List<Batch> batches);

    /** Nothing else is called from now on; {@code newest} is the greatest version ever handed out. */
    void close(long newest);
}
