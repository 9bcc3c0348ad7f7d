package dev.couchjobs.topics.internal.log;

import dev.couchjobs.topics.TopicSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Which messages a topic keeps.
 *
 * <p>Nothing is removed on the word of one clock. A message is too old if the clock of this process says so, and if as
 * many versions have passed: a cluster passes about a million a second, and jumps ahead, but never stands still.
 */
public record RetentionRule(TopicSettings settings) {
    /** Versions pass a little slower under load. */
    private static final double SLOWEST = 0.9;

    /** {@return whether messages stay for ever} */
    public boolean keepsAll() {
        return settings.maxAge().isEmpty()
                && settings.maxBytes().isEmpty()
                && settings.consumedBy().isEmpty()
                && settings.compactAfter().isEmpty();
    }

    /** @param consumed what all groups have consumed that the retention waits for */
    boolean removes(Mark mark, Amount appended, Place consumed, long readVersion, Instant now) {
        return settings.maxAge()
                        .filter(age -> isOlder(mark, age, readVersion, now))
                        .isPresent()
                || isTooMuch(mark, appended)
                || isConsumed(mark, consumed);
    }

    /** {@return whether what is before a mark is superseded for good once it is superseded} */
    boolean compacts(Mark mark, long readVersion, Instant now) {
        return settings.compactAfter()
                .filter(age -> isOlder(mark, age, readVersion, now))
                .isPresent();
    }

    private static boolean isOlder(Mark mark, Duration age, long readVersion, Instant now) {
        return Duration.between(mark.time(), now).compareTo(age) > 0
                && readVersion - mark.version() > SLOWEST * TimeUnit.MILLISECONDS.toMicros(age.toMillis());
    }

    /** The number of a place is never too great. */
    private boolean isConsumed(Mark mark, Place consumed) {
        return !settings.consumedBy().isEmpty()
                && mark.amount().messages() <= consumed.number()
                && mark.place().compareTo(consumed.stamp()) < 0;
    }

    /** What is before the mark goes if what is behind it is enough. */
    private boolean isTooMuch(Mark mark, Amount appended) {
        return settings.maxBytes().isPresent()
                && appended.minus(mark.amount()).bytes() >= settings.maxBytes().getAsLong();
    }
}
