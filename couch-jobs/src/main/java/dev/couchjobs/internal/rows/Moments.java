package dev.couchjobs.internal.rows;

/**
 * The one rule for moments that lie in the future of the present clock, in milliseconds since the epoch. The clocks of
 * processes differ a little, so a moment up to a minute ahead counts as the present. One further ahead was noted by a
 * clock that was wrong: it counts as long past, because nothing says when it was.
 */
public final class Moments {
    private static final long SKEW_MAX = 60_000;

    private Moments() {}

    /** {@return whether a moment was noted by a clock that was ahead of the present one} */
    public static boolean isOfWrongClock(long at, long now) {
        return at > now + SKEW_MAX;
    }

    /** {@return whether a moment is less than a period ago} */
    public static boolean isWithin(long at, long now, long period) {
        return !isOfWrongClock(at, now) && now - at < period;
    }
}
