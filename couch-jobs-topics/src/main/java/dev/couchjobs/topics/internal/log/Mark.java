package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.time.Instant;

/**
 * How much a partition held at a version. A transaction that appends reads the tail at its read version and leaves what
 * it read, so that a mark costs no scan.
 *
 * @param amount all that commits up to the version have appended
 * @param time by the clock of the process that appended
 */
record Mark(long version, Amount amount, Instant time) {
    byte[] encode() {
        return Tuple.from(amount.messages(), amount.bytes(), time.toEpochMilli())
                .pack();
    }

    static Mark decode(long version, byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        return new Mark(version, new Amount(row.getLong(0), row.getLong(1)), Instant.ofEpochMilli(row.getLong(2)));
    }

    /** {@return the place behind all that it counts} */
    Versionstamp place() {
        return Stamps.upTo(version);
    }
}
