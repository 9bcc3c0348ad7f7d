package dev.couchjobs.loop;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Checks the durations that callers give. Whatever passes can be added to a time, and fits into a long as nanoseconds
 * or in the unit in which it is stored. Each method fails with {@link NullPointerException} or
 * {@link IllegalArgumentException}, with the name of the parameter.
 */
public final class Durations {
    /** A hundred years, which mean for ever. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    private Durations() {}

    /**
     * {@return a time to wait, or a limit: zero or more, and beyond a hundred years as good as for ever}
     *
     * @param name the name of the parameter, for the error
     * @param value the duration
     */
    public static Duration limit(String name, Duration value) {
        require(!notNull(name, value).isNegative(), name, () -> "zero or more", value);
        return value.compareTo(LONGEST) < 0 ? value : LONGEST;
    }

    /**
     * {@return a duration that may be zero}
     *
     * @param name the name of the parameter, for the error
     * @param value the duration
     */
    public static Duration notNegative(String name, Duration value) {
        return between(name, value, Duration.ZERO, LONGEST);
    }

    /**
     * {@return a duration that is not zero}
     *
     * @param name the name of the parameter, for the error
     * @param value the duration
     */
    public static Duration positive(String name, Duration value) {
        boolean isInBounds = isBetween(notNull(name, value), Duration.ofNanos(1), LONGEST);
        require(isInBounds, name, () -> "more than zero and at most " + text(LONGEST), value);
        return value;
    }

    /**
     * {@return a duration within bounds}
     *
     * @param name the name of the parameter, for the error
     * @param value the duration
     * @param min the shortest
     * @param max the longest
     */
    public static Duration between(String name, Duration value, Duration min, Duration max) {
        require(isBetween(notNull(name, value), min, max), name, () -> from(min, max), value);
        return value;
    }

    /**
     * {@return a duration of whole units within bounds}
     *
     * @param unit a second, or a part of which a second has a whole number
     * @param unitName the name of the unit, in the plural
     * @param name the name of the parameter, for the error
     * @param value the duration
     * @param min the shortest
     * @param max the longest
     */
    public static Duration whole(
            Duration unit, String unitName, String name, Duration value, Duration min, Duration max) {
        boolean isWhole = isBetween(notNull(name, value), min, max) && value.toNanosPart() % unit.toNanos() == 0;
        require(isWhole, name, () -> "a whole number of " + unitName + ", " + from(min, max), value);
        return value;
    }

    /**
     * {@return a duration of whole seconds within bounds}
     *
     * @param name the name of the parameter, for the error
     * @param value the duration
     * @param min the shortest
     * @param max the longest
     */
    public static Duration wholeSeconds(String name, Duration value, Duration min, Duration max) {
        return whole(Duration.ofSeconds(1), "seconds", name, value, min, max);
    }

    private static Duration notNull(String name, Duration value) {
        return Objects.requireNonNull(value, name);
    }

    private static boolean isBetween(Duration value, Duration min, Duration max) {
        return value.compareTo(min) >= 0 && value.compareTo(max) <= 0;
    }

    /** Each transaction that reads a type's timeout comes here: there is no text of the rule while it holds. */
    private static void require(boolean held, String name, Supplier<String> rule, Duration value) {
        if (!held) {
            throw new IllegalArgumentException(
                    name + " is " + rule.get() + "; this is " + DurationText.of(value) + ".");
        }
    }

    private static String from(Duration min, Duration max) {
        return "from " + text(min) + " to " + text(max);
    }

    private static String text(Duration bound) {
        long days = bound.toDays();
        if (bound.isZero()) {
            return "zero";
        }
        return bound.equals(Duration.ofDays(days))
                ? String.format(Locale.ROOT, "%,d days", days)
                : DurationText.of(bound);
    }
}
