package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import java.util.OptionalInt;

/**
 * What a row of {@code limits} says of a limit key.
 *
 * @param max how many jobs with the key may run at once, if the key has a limit
 * @param isPaused whether no job with the key may be claimed
 */
public record KeyLimit(OptionalInt max, boolean isPaused) {
    static final KeyLimit NONE = new KeyLimit(OptionalInt.empty(), false);

    /** {@return how many slots the key has now: none while it is paused} */
    public int slots() {
        return isPaused ? 0 : max.orElse(Integer.MAX_VALUE);
    }

    /** {@return a copy with another limit} */
    public KeyLimit withMax(OptionalInt newMax) {
        return new KeyLimit(newMax, isPaused);
    }

    /** {@return a copy that is paused, or not} */
    KeyLimit paused(boolean nowPaused) {
        return new KeyLimit(max, nowPaused);
    }

    /** {@return a copy with the limit of each key, if the key has none of its own} */
    KeyLimit orElse(OptionalInt ofEach) {
        return max.isPresent() ? this : withMax(ofEach);
    }

    static KeyLimit decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        OptionalInt max = row.get(0) == null ? OptionalInt.empty() : OptionalInt.of(Math.toIntExact(row.getLong(0)));
        return new KeyLimit(max, row.size() > 1 && row.getBoolean(1));
    }

    byte[] encode() {
        Tuple row = max.isPresent() ? Tuple.from(max.getAsInt()) : new Tuple().addObject(null);
        return (isPaused ? row.add(true) : row).pack();
    }
}
