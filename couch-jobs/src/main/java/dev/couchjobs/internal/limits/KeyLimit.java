package dev.couchjobs.internal.limits;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Rate;
import java.time.Duration;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What a row of {@code limits} says of a limit key.
 *
 * @param max how many jobs with the key may run at once, if the key has a limit
 * @param isPaused whether no job with the key may be claimed
 * @param rate how many jobs with the key may start in a period, or null
 */
public record KeyLimit(
        OptionalInt max, boolean isPaused, @Nullable Rate rate) {
    static final KeyLimit NONE = new KeyLimit(OptionalInt.empty(), false, null);
    private static final int PAUSED = 1;
    private static final int RATE = 2;

    /** {@return how many slots the key has now: none while it is paused or its jobs wait for tokens} */
    int slots(KeySlots now) {
        return isPaused || waitsForTokens(now) ? 0 : slots();
    }

    /** {@return how many slots the key has while nothing holds its jobs back} */
    int slots() {
        return max.orElse(Integer.MAX_VALUE);
    }

    /** {@return whether jobs with the key wait for tokens} Without a rate they do not, whatever the slots say. */
    boolean waitsForTokens(KeySlots now) {
        return rate != null && now.tokensAt().isPresent();
    }

    /** {@return a copy with another limit} */
    KeyLimit withMax(OptionalInt newMax) {
        return new KeyLimit(newMax, isPaused, rate);
    }

    /** {@return a copy that is paused, or not} */
    KeyLimit paused(boolean nowPaused) {
        return new KeyLimit(max, nowPaused, rate);
    }

    /** {@return a copy with another rate, or with none} */
    KeyLimit withRate(@Nullable Rate newRate) {
        return new KeyLimit(max, isPaused, newRate);
    }

    /** {@return a copy with the limit of each key, if the key has none of its own} */
    KeyLimit orElse(OptionalInt ofEach) {
        return max.isPresent() ? this : withMax(ofEach);
    }

    static KeyLimit decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        OptionalInt max = row.get(0) == null ? OptionalInt.empty() : OptionalInt.of(Math.toIntExact(row.getLong(0)));
        Rate rate = row.size() <= RATE
                ? null
                : new Rate(
                        Math.toIntExact(row.getLong(RATE)),
                        Duration.ofMillis(row.getLong(RATE + 1)),
                        Math.toIntExact(row.getLong(RATE + 2)));
        return new KeyLimit(max, row.size() > PAUSED && row.getBoolean(PAUSED), rate);
    }

    byte[] encode() {
        Tuple row = max.isPresent() ? Tuple.from(max.getAsInt()) : new Tuple().addObject(null);
        if (rate != null) {
            row = row.add(isPaused)
                    .add(rate.starts())
                    .add(rate.period().toMillis())
                    .add(rate.burst());
        } else if (isPaused) {
            row = row.add(true);
        }
        return row.pack();
    }
}
