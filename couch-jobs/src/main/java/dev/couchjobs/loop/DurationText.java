package dev.couchjobs.loop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Durations as people read them in messages. Documents and programs have them as in ISO 8601. */
public final class DurationText {
    private static final int NANOS_OF_MILLI = 1_000_000;

    private DurationText() {}

    /**
     * {@return a duration in the units that it needs, such as {@code 1 h 5 min}, {@code 250 ms} or {@code 0 s}} Nothing
     * is rounded. A negative one begins with a minus sign, which holds for all of it.
     *
     * @param duration the duration
     */
    public static String of(Duration duration) {
        List<String> parts = new ArrayList<>();
        // The absolute value of the shortest duration is none.
        boolean isNegative = duration.isNegative();
        Duration shown = isNegative && duration.toSeconds() > Long.MIN_VALUE ? duration.negated() : duration;
        add(parts, shown.toDays(), "d");
        add(parts, shown.toHoursPart(), "h");
        add(parts, shown.toMinutesPart(), "min");
        add(parts, shown.toSecondsPart(), "s");
        add(parts, shown.toMillisPart(), "ms");
        add(parts, shown.toNanosPart() % NANOS_OF_MILLI, "ns");
        return parts.isEmpty() ? "0 s" : (isNegative ? "-" : "") + String.join(" ", parts);
    }

    private static void add(List<String> parts, long count, String unit) {
        if (count != 0) {
            parts.add(Math.abs(count) + " " + unit);
        }
    }
}
