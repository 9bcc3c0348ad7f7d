package dev.couchjobs.fdb.internal.base;

import dev.couchjobs.fdb.embedded.StorageException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ordered store of keys and values as of one version. Keys are byte strings in unsigned lexicographic order, all of
 * them below {@code \xff\xff}.
 *
 * <p>What is applied can be read at once and is durable after the next {@link #makeDurable}. After a crash the store
 * holds what it held at some version between the last flush and the last apply, whole; {@link #version} is that
 * version.
 *
 * <p>Any number of threads may read. One thread at a time may apply and flush, while others read.
 *
 * <p>Every method may throw a {@link StorageException} if the disk fails, and throws {@link IllegalStateException} once
 * the store is closed.
 */
public interface Base extends AutoCloseable {
    /**
     * The version up to which everything is in the store; 0 in a new one. A read that begins after this returned sees
     * at least that much.
     *
     * @return the version last applied
     */
    long version();

    /**
     * Reads one key.
     *
     * @param key the key
     * @return its value, for the caller to keep, or null if there is none
     */
    byte @Nullable [] get(byte[] key);

    /**
     * Opens a cursor on the first key that is not less than {@code from}.
     *
     * @param from where to begin
     * @return a cursor that moves upwards and shows the state of this moment, whatever is applied later
     */
    BaseCursor ascending(byte[] from);

    /**
     * Opens a cursor on the last key that is less than {@code before}.
     *
     * @param before where to begin
     * @return a cursor that moves downwards and shows the state of this moment, whatever is applied later
     */
    BaseCursor descending(byte[] before);

    /**
     * Takes the store to a later version. All of it becomes visible, and later durable, at one moment.
     *
     * @param version greater than {@link #version}
     * @param mutations in order: a later one overrides an earlier one
     */
    void apply(long version, List<BaseMutation> mutations);

    /**
     * Waits until all that was applied is durable.
     *
     * @return the version up to which the store is durable
     */
    long makeDurable();

    /**
     * Writes all that was applied into another directory, durably. Called while nothing is applied.
     *
     * @param directory is made; must not be there
     */
    void copyTo(Path directory);

    /**
     * Estimates how much the keys from {@code begin} up to, but not including, {@code end} take, without reading them.
     *
     * @param begin the first key
     * @param end behind the last key
     * @return bytes as stored, that is compressed; small ranges may count as nothing
     */
    long estimatedBytes(byte[] begin, byte[] end);

    /**
     * Waits for the reads in flight, then closes the files without making anything more durable than it is. Closing
     * again does nothing. A thread must not close the store while it holds a cursor on it.
     */
    @Override
    void close();

    /** Closes the store without touching a file by its name: for a directory that no longer belongs to this store. */
    default void abandon() {
        close();
    }
}
