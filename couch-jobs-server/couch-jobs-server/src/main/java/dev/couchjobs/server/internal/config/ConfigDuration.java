package dev.couchjobs.server.internal.config;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations as people write them: {@code 30s}, {@code 5m}, {@code 2h}, {@code 90d}, or as in ISO 8601. */
public final class ConfigDuration {
    private static final Pattern SHORT = Pattern.compile("(?<count>[0-9]{1,9}) ?(?<unit>ms|s|m|h|d)");
    private static final Map<String, Duration> UNITS = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));

    private ConfigDuration() {}

    /** {@return the duration, of at least a millisecond; empty if the text is none} */
    public static Optional<Duration> parse(String text) {
        return read(text.strip()).filter(duration -> !duration.isNegative() && duration.toMillis() > 0);
    }

    private static Optional<Duration> read(String text) {
        Matcher matcher = SHORT.matcher(text);
        if (matcher.matches()) {
            Duration unit = UNITS.getOrDefault(matcher.group("unit"), Duration.ZERO);
            return Optional.of(unit.multipliedBy(Long.parseLong(matcher.group("count"))));
        }
        try {
            return Optional.of(Duration.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
