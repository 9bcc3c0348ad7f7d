package dev.couchjobs.fdb.internal.log;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file. Positions are absolute; nothing else writes the file, and an interrupt does nothing to it. */
interface LogFile extends Closeable {
    long size() throws IOException;

    /** Reads some bytes; -1 at the end of the file. */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes some bytes, perhaps not all. */
    int write(ByteBuffer source, long position) throws IOException;

    /** What was written so far survives a power loss once this has returned. */
    void force() throws IOException;

    default void writeFully(ByteBuffer source, long position) throws IOException {
        long at = position;
        while (source.hasRemaining()) {
            at += write(source, at);
        }
    }

    default void readFully(ByteBuffer target, long position) throws IOException {
        long at = position;
        while (target.hasRemaining()) {
            int count = read(target, at);
            if (count < 0) {
                throw new EOFException("the file ends at byte " + at);
            }
            at += count;
        }
    }
}
