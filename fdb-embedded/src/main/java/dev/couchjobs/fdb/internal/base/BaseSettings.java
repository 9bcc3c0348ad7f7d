package dev.couchjobs.fdb.internal.base;

/**
 * How much memory outside the heap a {@link Base} may take: the cache, and two write buffers, one that is being filled
 * and one that is being written out. The rest is small: some hundred kilobytes for RocksDB itself and each thousand
 * open files.
 *
 * @param cacheBytes for blocks of data as well as for indexes and Bloom filters, which take about 2 bytes for each key
 *     of those files that are read; below that, reads fetch them again and again
 * @param writeBufferBytes changes gathered until they are written out as one file; the larger, the less is
 *     rewritten later
 */
public record BaseSettings(long cacheBytes, long writeBufferBytes) {
    private static final long MEGABYTE = 1 << 20;

    /** 128 MB in all, good for some tens of millions of small rows. */
    public static final BaseSettings DEFAULT = new BaseSettings(64 * MEGABYTE, 32 * MEGABYTE);

    /**
     * Checks the figures.
     *
     * @param cacheBytes at least a megabyte
     * @param writeBufferBytes at least 64 kilobytes
     * @throws IllegalArgumentException if there is no room to work
     */
    public BaseSettings {
        if (cacheBytes < MEGABYTE || writeBufferBytes < MEGABYTE / 16) {
            throw new IllegalArgumentException("Too little memory for a database on disk: " + cacheBytes
                    + " bytes of cache, " + writeBufferBytes + " bytes of write buffer");
        }
    }
}
