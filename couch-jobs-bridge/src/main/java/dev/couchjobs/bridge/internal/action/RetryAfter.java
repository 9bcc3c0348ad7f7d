package dev.couchjobs.bridge.internal.action;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Pattern;

/** The header with which a server requests a pause. */
final class RetryAfter {
    /** The limit of the pause, so that a server cannot delay a job for years. */
    static final Duration LONGEST = Duration.ofDays(1);

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,18}");

    private RetryAfter() {}

    /**
     * Parses the header.
     *
     * @param value seconds, or a date of HTTP; another value is ignored
     * @param now the time of the bridge's clock
     * @return the pause, at least zero
     */
    static Optional<Duration> parse(String value, Instant now) {
        return read(value.strip(), now)
                .map(pause -> pause.isNegative() ? Duration.ZERO : pause)
                .map(pause -> pause.compareTo(LONGEST) > 0 ? LONGEST : pause);
    }

    private static Optional<Duration> read(String value, Instant now) {
        if (SECONDS.matcher(value).matches()) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(value)));
        }
        try {
            Instant date = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return Optional.of(Duration.between(now, date));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
