package dev.couchjobs.fdb.embedded;

/** Stands on one entry after the other, in one direction. To be closed by whoever opened it, on the same thread. */
interface Scan extends AutoCloseable {
    /** False past the last entry. */
    boolean isOnEntry();

    /** Of the entry it stands on. */
    byte[] key();

    /** Of the entry it stands on. */
    byte[] value();

    void advance();

    @Override
    void close();
}
