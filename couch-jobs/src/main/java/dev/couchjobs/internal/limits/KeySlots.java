package dev.couchjobs.internal.limits;

import com.apple.foundationdb.tuple.Tuple;
import java.util.OptionalLong;

/**
 * What a row of {@code slots} says of a limit key.
 *
 * @param taken how many slots are taken
 * @param tokensAt the version from which there is a token again, while jobs of the key wait for tokens of its rate
 */
public record KeySlots(long taken, OptionalLong tokensAt) {
    static final KeySlots NONE = new KeySlots(0, OptionalLong.empty());

    /** {@return a copy with another number of taken slots} */
    public KeySlots withTaken(long nowTaken) {
        return new KeySlots(Math.max(0, nowTaken), tokensAt); // below zero if the row was damaged meanwhile
    }

    /** {@return a copy whose jobs wait for a token until a version} */
    public KeySlots waitingUntil(long version) {
        return new KeySlots(taken, OptionalLong.of(version));
    }

    /** {@return a copy whose jobs wait for no token} */
    public KeySlots notWaiting() {
        return new KeySlots(taken, OptionalLong.empty());
    }

    static KeySlots decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        return new KeySlots(row.getLong(0), row.size() > 1 ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty());
    }

    byte[] encode() {
        Tuple row = Tuple.from(taken);
        return (tokensAt.isPresent() ? row.add(tokensAt.getAsLong()) : row).pack();
    }
}
