package dev.couchjobs.internal.sweep;

import dev.couchjobs.ClockSkew;
import dev.couchjobs.loop.DurationText;

/** Tells an operator about a clock. */
public final class SkewText {
    private SkewText() {}

    /** {@return how a clock that is wrong stands to others} It continues "The clock of ... is". */
    public static String of(ClockSkew skew) {
        return DurationText.of(skew.ahead().abs()) + (skew.ahead().isNegative() ? " behind" : " ahead of")
                + " the median of its own and " + skew.others() + " others, more than " + DurationText.of(skew.bound());
    }
}
