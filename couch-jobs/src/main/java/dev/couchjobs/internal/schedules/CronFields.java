package dev.couchjobs.internal.schedules;

import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The local times that a cron expression names.
 *
 * @param seconds bit n for second n
 * @param minutes bit n for minute n
 * @param hours bit n for hour n
 * @param days the days
 */
record CronFields(long seconds, long minutes, long hours, CronDays days) {
    private static final long ALL_HOURS = (1L << 24) - 1;
    private static final int PERIODS = 1_000;
    /** The days of a week are the same after 28 years, but for the turn of some centuries. */
    private static final int PERIOD_YEARS = 100;

    /** {@return the fields of an expression; fails with {@link CronSyntaxException} if it cannot be read} */
    static CronFields parse(String expression) {
        return CronParser.parse(expression);
    }

    /** {@return whether the expression names times in every hour of a day} */
    boolean isHourly() {
        return hours == ALL_HOURS;
    }

    /** {@return the first local time after another, if there is one within forty years} */
    Optional<LocalDateTime> nextAfter(LocalDateTime time) {
        LocalDateTime first = time.withNano(0).plusSeconds(1);
        LocalDate date = first.toLocalDate();
        if (days.matches(date)) {
            Optional<LocalTime> today = from(first.toLocalTime());
            if (today.isPresent()) {
                return today.map(date::atTime);
            }
        }
        return days.from(date.plusDays(1)).map(next -> next.atTime(firstOfDay()));
    }

    /**
     * {@return the shortest distance of two of the first times after another} An expression that names more of them a
     * day has its shortest distance within each day.
     */
    Duration shortestPeriod(LocalDateTime after) {
        LocalDateTime end = after.plusYears(PERIOD_YEARS);
        Duration shortest = ChronoUnit.FOREVER.getDuration();
        Optional<LocalDateTime> time = nextAfter(after);
        for (int i = 0; i < PERIODS; i++) {
            Optional<LocalDateTime> next = time.flatMap(this::nextAfter);
            if (next.isEmpty() || next.get().isAfter(end)) {
                return shortest;
            }
            Duration period = Duration.between(time.orElseThrow(), next.get());
            shortest = period.compareTo(shortest) < 0 ? period : shortest;
            time = next;
        }
        return shortest;
    }

    private LocalTime firstOfDay() {
        return LocalTime.of(first(hours), first(minutes), first(seconds));
    }

    /** {@return the first time of a day that is not before a time} */
    private Optional<LocalTime> from(LocalTime time) {
        int hour = from(hours, time.getHour());
        if (hour < 0) {
            return Optional.empty();
        }
        if (hour > time.getHour()) {
            return Optional.of(LocalTime.of(hour, first(minutes), first(seconds)));
        }
        int minute = from(minutes, time.getMinute());
        if (minute == time.getMinute()) {
            int second = from(seconds, time.getSecond());
            if (second >= 0) {
                return Optional.of(LocalTime.of(hour, minute, second));
            }
            minute = from(minutes, minute + 1);
        }
        if (minute >= 0) {
            return Optional.of(LocalTime.of(hour, minute, first(seconds)));
        }
        int nextHour = from(hours, hour + 1);
        return nextHour < 0 ? Optional.empty() : Optional.of(LocalTime.of(nextHour, first(minutes), first(seconds)));
    }

    private static int first(long bits) {
        return Long.numberOfTrailingZeros(bits);
    }

    /** {@return the first value that is not before another, or -1} */
    private static int from(long bits, int value) {
        long rest = bits & (-1L << value);
        return rest == 0 ? -1 : first(rest);
    }
}
