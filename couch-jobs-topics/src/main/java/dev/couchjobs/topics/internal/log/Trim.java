package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import org.jspecify.annotations.Nullable;

/** Up to where the messages of a partition are removed, and how much that was. */
record Trim(Versionstamp stamp, Amount amount) {
    static final Trim NONE = new Trim(Stamps.FIRST, Amount.NOTHING);

    byte[] encode() {
        return Tuple.from(stamp, amount.messages(), amount.bytes()).pack();
    }

    static Trim decode(byte @Nullable [] value) {
        if (value == null) {
            return NONE;
        }
        Tuple row = Tuple.fromBytes(value);
        return new Trim(row.getVersionstamp(0), new Amount(row.getLong(1), row.getLong(2)));
    }

    Place place() {
        return new Place(stamp, amount.messages());
    }
}
