package dev.couchjobs.internal.job;

import dev.couchjobs.ReleaseReason;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;

/**
 * How many claims on a job were released after its work had begun, since it was last enqueued.
 *
 * @param shutdown those that {@link ReleaseReason#SHUTDOWN} counts
 * @param outOfMemory those that {@link ReleaseReason#OUT_OF_MEMORY} counts
 */
public record Releases(int shutdown, int outOfMemory) {
    /** No claim was released. */
    public static final Releases NONE = new Releases(0, 0);

    /** {@return the number for a reason} */
    public int of(ReleaseReason reason) {
        return switch (reason) {
            case SHUTDOWN -> shutdown;
            case OUT_OF_MEMORY -> outOfMemory;
        };
    }

    Releases plusOne(ReleaseReason reason) {
        return switch (reason) {
            case SHUTDOWN -> new Releases(shutdown + 1, outOfMemory);
            case OUT_OF_MEMORY -> new Releases(shutdown, outOfMemory + 1);
        };
    }

    /** Adds this as a nested tuple. */
    void encode(TupleWriter row) {
        row.beginNested().add(shutdown).add(outOfMemory).endNested(false);
    }

    static Releases decode(TupleReader row) {
        if (row.skipNull()) {
            return NONE;
        }
        row.beginNested();
        Releases releases = new Releases(row.readInt(), row.readInt());
        row.endNested();
        return releases;
    }
}
