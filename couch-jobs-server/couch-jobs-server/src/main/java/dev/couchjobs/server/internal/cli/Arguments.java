package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.PayloadPlaces;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.json.Fields;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.databind.JsonNode;

/** Reads what the command line has in other forms than the API. */
final class Arguments {
    private static final Pattern SHORT = Pattern.compile("(\\d+)(ms|s|m|h|d)");
    private static final Pattern RATE = Pattern.compile("(\\d+)/([^,]+)(?:,burst=(\\d+))?");

    private Arguments() {}

    /** Takes {@code 90s}, {@code 10m}, {@code 2h}, {@code 1d}, {@code 500ms} and what ISO 8601 has. */
    static final class DurationConverter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return duration(text);
        }
    }

    static Duration duration(String text) {
        Matcher brief = SHORT.matcher(text);
        try {
            if (!brief.matches()) {
                return Duration.parse(text.toUpperCase(Locale.ROOT));
            }
            long number = Long.parseLong(brief.group(1));
            return switch (brief.group(2)) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                default -> Duration.ofDays(number);
            };
        } catch (DateTimeParseException | ArithmeticException | NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' is no duration: write 90s, 10m, 2h, 1d or PT1M30S");
        }
    }

    /** {@return a rate such as {@code 10/1s} or {@code 10/1m,burst=5}, as the API takes it} */
    static JsonNode rate(String text) {
        Matcher parts = RATE.matcher(text);
        if (!parts.matches()) {
            throw new Failure(Failure.USAGE, "'" + text + "' is no rate.", "Write 10/1s, or 10/1m,burst=5.");
        }
        Fields rate = new Fields();
        try {
            rate.put("starts", Long.parseLong(parts.group(1)));
            rate.put("period", duration(parts.group(2)));
            if (parts.group(3) != null) {
                rate.put("burst", Long.parseLong(parts.group(3)));
            }
        } catch (NumberFormatException | TypeConversionException e) {
            throw new Failure(Failure.USAGE, "'" + text + "' is no rate.", "Write 10/1s, or 10/1m,burst=5.");
        }
        return rate.node();
    }

    /**
     * {@return a text as JSON}
     *
     * @param what names the text in an error
     * @param places where payloads stand in it
     */
    static JsonNode json(String what, String text, PayloadPlaces places) {
        return json(what, text.getBytes(StandardCharsets.UTF_8), places);
    }

    /**
     * {@return a text as JSON}
     *
     * @param what names the text in an error
     * @param utf8 the text
     * @param places where payloads stand in it
     */
    static JsonNode json(String what, byte[] utf8, PayloadPlaces places) {
        try {
            return Json.read(utf8, places);
        } catch (ProblemException e) {
            throw new Failure(
                    Failure.USAGE,
                    what + " is not JSON. " + e.problem().detail(),
                    "A text needs quotation marks of its own: '\"text\"'.");
        }
    }
}
