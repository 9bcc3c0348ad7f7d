package dev.couchjobs.bridge.internal.config;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Parses and formats durations. */
final class ConfigDuration {
    private static final Pattern SHORT = Pattern.compile("(?<count>[0-9]{1,9}) ?(?<unit>ms|s|m|h|d)");
    private static final Map<String, Duration> UNITS = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));

    private ConfigDuration() {}

    /** {@return the duration, which is positive; empty if the text is invalid} */
    static Optional<Duration> parse(String text) {
        return read(text.strip()).filter(duration -> !duration.isNegative() && !duration.isZero());
    }

    /** {@return the text of a duration, in the largest unit of which it is a multiple} */
    static String text(Duration duration) {
        return Stream.of("d", "h", "m", "s", "ms")
                .filter(unit -> duration.toMillis() % unitOf(unit).toMillis() == 0)
                .findFirst()
                .map(unit -> duration.toMillis() / unitOf(unit).toMillis() + " " + unit)
                .orElse(duration.toString());
    }

    private static Duration unitOf(String name) {
        return UNITS.getOrDefault(name, Duration.ZERO);
    }

    private static Optional<Duration> read(String text) {
        Matcher matcher = SHORT.matcher(text);
        if (matcher.matches()) {
            Duration unit = unitOf(matcher.group("unit"));
            return Optional.of(unit.multipliedBy(Long.parseLong(matcher.group("count"))));
        }
        try {
            return Optional.of(Duration.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
