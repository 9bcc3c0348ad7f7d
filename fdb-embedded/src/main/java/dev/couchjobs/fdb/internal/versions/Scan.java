package dev.couchjobs.fdb.internal.versions;

/** Stands on one entry after the other, in one direction. The thread that opens it closes it. */
public interface Scan extends AutoCloseable {
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
