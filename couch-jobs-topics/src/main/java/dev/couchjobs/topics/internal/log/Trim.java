package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * What is removed of a partition.
 *
 * @param stamp of the last message that is removed: it and all before it are
 * @param amount how much is removed
 * @param compactedTo up to where the partition is compacted
 */
record Trim(Versionstamp stamp, Amount amount, Versionstamp compactedTo) {
    static final Trim NONE = new Trim(Stamps.FIRST, Amount.NOTHING, Stamps.FIRST);

    byte[] encode() {
        return Tuple.from(stamp, amount.messages(), amount.bytes(), compactedTo).pack();
    }

    static Trim decode(byte @Nullable [] value) {
        if (value == null) {
            return NONE;
        }
        Tuple row = Tuple.fromBytes(value);
        return new Trim(row.getVersionstamp(0), new Amount(row.getLong(1), row.getLong(2)), row.getVersionstamp(3));
    }

    /** {@return whether messages behind a place are removed} */
    boolean isBeyond(Versionstamp place) {
        return stamp.compareTo(place) > 0;
    }

    /** {@return whether messages behind a place may have been removed because others supersede them} */
    boolean isCompactedBeyond(Versionstamp place) {
        return compactedTo.compareTo(place) > 0;
    }

    /** {@return a place that has so many messages before it, or fewer if the partition is compacted} */
    Place place() {
        return new Place(stamp, amount.messages());
    }

    Trim compacted(Versionstamp newCompactedTo, Amount removed) {
        return new Trim(stamp, amount.plus(removed), newCompactedTo);
    }
}
