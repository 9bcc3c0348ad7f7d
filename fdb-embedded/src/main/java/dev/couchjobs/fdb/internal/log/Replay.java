package dev.couchjobs.fdb.internal.log;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

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

    /**
     * Asked once, when every record has been seen and is durable.
     *
     * @return what is to see all of them once more, for a caller that can do with a record only what outlives a crash;
     *     null if one look was enough
     */
    default @Nullable Replay again() {
        return null;
    }
}
