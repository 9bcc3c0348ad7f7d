package dev.couchjobs.internal.schedules;

import java.time.LocalDate;
import java.util.Optional;

/**
 * The days that a cron expression names.
 *
 * @param months bit n for month n
 * @param isBoth whether a day matches by the day of the month and the day of the week, or else by either
 * @param ofMonth the days of the month
 * @param ofWeek the days of the week
 */
record CronDays(long months, boolean isBoth, OfMonth ofMonth, OfWeek ofWeek) {
    /** The rarest day, the fifth Monday of a February, has gaps of forty years. */
    private static final int YEARS_MAX = 41;

    /**
     * Days of the month.
     *
     * @param days bit n for day n
     * @param beforeLast bit n for the day n days before the last
     * @param weekdaysNear bit n for the working day nearest to day n
     * @param weekdaysNearLast bit n for the working day nearest to the day n days before the last
     */
    record OfMonth(long days, long beforeLast, long weekdaysNear, long weekdaysNearLast) {
        boolean matches(LocalDate date) {
            int day = date.getDayOfMonth();
            int last = date.lengthOfMonth();
            return has(days, day) || has(beforeLast, last - day) || isWorkingDayNear(date, day, last);
        }

        /** The nearest working day is at most two days away, and in the same month. */
        private boolean isWorkingDayNear(LocalDate date, int day, int last) {
            if (weekdaysNear == 0 && weekdaysNearLast == 0) {
                return false;
            }
            for (int near = Math.max(1, day - 2); near <= Math.min(last, day + 2); near++) {
                boolean isNamed = has(weekdaysNear, near) || has(weekdaysNearLast, last - near);
                if (isNamed && workingDay(date.withDayOfMonth(near), last) == day) {
                    return true;
                }
            }
            return false;
        }

        private static int workingDay(LocalDate date, int last) {
            int day = date.getDayOfMonth();
            return switch (date.getDayOfWeek()) {
                case SATURDAY -> day == 1 ? 3 : day - 1;
                case SUNDAY -> day == last ? day - 2 : day + 1;
                case MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY -> day;
            };
        }
    }

    /**
     * Days of the week, from 0 for Sunday.
     *
     * @param days bit n for day n
     * @param last bit n for the last day n of a month
     * @param nth bit 8 * n + i for the i-th day n of a month
     */
    record OfWeek(long days, long last, long nth) {
        boolean matches(LocalDate date) {
            int day = date.getDayOfWeek().getValue() % 7;
            int week = (date.getDayOfMonth() - 1) / 7 + 1;
            boolean isLast = date.getDayOfMonth() + 7 > date.lengthOfMonth();
            return has(days, day) || (isLast && has(last, day)) || has(nth, 8 * day + week);
        }
    }

    private static boolean has(long bits, int bit) {
        return (bits >>> bit & 1) != 0;
    }

    boolean matches(LocalDate date) {
        if (!has(months, date.getMonthValue())) {
            return false;
        }
        return isBoth ? ofMonth.matches(date) && ofWeek.matches(date) : ofMonth.matches(date) || ofWeek.matches(date);
    }

    /** {@return the first matching day that is not before a date, if there is one within forty years} */
    Optional<LocalDate> from(LocalDate first) {
        LocalDate end = first.plusYears(YEARS_MAX);
        LocalDate date = first;
        while (date.isBefore(end)) {
            if (!has(months, date.getMonthValue())) {
                date = date.withDayOfMonth(1).plusMonths(1);
            } else if (matches(date)) {
                return Optional.of(date);
            } else {
                date = date.plusDays(1);
            }
        }
        return Optional.empty();
    }
}
