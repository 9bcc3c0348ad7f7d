package dev.couchjobs.fdb.internal.storage;

/**
 * The heap that each part of the engine may take. The limits are fractions of the environment's heap, and leave a part
 * of it to the application.
 *
 * @param recentBytes the writes of the MVCC window; with a directory, batches that are not yet flushed to the base may
 *     take as much again
 * @param contentsBytes the rows of a database in memory
 * @param waitingBytes the commits that have not been decided
 * @param batchBytes the commits that are decided, or persisted, at once; these are in memory several times
 */
public record MemoryLimits(long recentBytes, long contentsBytes, long waitingBytes, long batchBytes) {
    private static final long MAX_BATCH_BYTES = 1 << 26;

    public static MemoryLimits ofHeap(long bytes) {
        return new MemoryLimits(bytes / 4, bytes / 2, bytes / 16, Math.min(MAX_BATCH_BYTES, bytes / 16));
    }
}
