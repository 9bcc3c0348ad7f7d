package dev.couchjobs.fdb.internal.log;

import java.nio.ByteBuffer;

/** Takes the records of a log, oldest first, while it is opened. */
@FunctionalInterface
public interface Replay {
    /**
     * One record.
     *
     * @param version greater than that of the record before
     * @param payload what was appended; valid during this call only
     */
    void record(long version, ByteBuffer payload);
}
