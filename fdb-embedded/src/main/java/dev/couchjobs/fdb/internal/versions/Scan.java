package dev.couchjobs.fdb.internal.versions;

/** A cursor over entries in one direction. The thread that opens it closes it. */
public interface Scan extends AutoCloseable {
    /** False past the last entry. */
    boolean isOnEntry();

    /** The key of the current entry. */
    byte[] key();

    /** The value of the current entry. */
    byte[] value();

    void advance();

    @Override
    void close();
}
