package dev.couchjobs.fdb.internal.storage;

/**
 * How much of the heap each part of the engine may take. All follow from the heap that the environment offers, and
 * together they leave a part of it to the user.
 *
 * @param recentBytes what the last five seconds have changed; in a directory, what is still to be moved into the base
 *     may take as much once more
 * @param dataBytes all rows of a database in memory
 * @param waitingBytes commits that have not been decided
 * @param batchBytes commits that are decided, or persisted, at once: these are in memory several times over
 */
public record MemoryLimits(long recentBytes, long dataBytes, long waitingBytes, long batchBytes) {
    private static final long MOST_BATCH_BYTES = 1 << 26;

    public static MemoryLimits ofHeap(long bytes) {
        return new MemoryLimits(bytes / 4, bytes / 2, bytes / 16, Math.min(MOST_BATCH_BYTES, bytes / 16));
    }
}
