package dev.couchjobs.bridge.internal.action;

import java.math.BigDecimal;
import java.time.Duration;

/** Formats durations for people. */
final class DurationText {
    private static final int MILLIS_DIGITS = 3;

    private DurationText() {}

    /** {@return the text, such as "90 s" or "0.5 s"} */
    static String text(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), MILLIS_DIGITS)
                        .stripTrailingZeros()
                        .toPlainString() + " s";
    }
}
