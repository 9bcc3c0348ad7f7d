package dev.couchjobs.internal.schedules;

import java.util.List;
import java.util.Locale;

/** A field of a cron expression: its limits, and the names of its values. */
enum CronField {
    SECOND("second", "minute", 0, 59, ""),
    MINUTE("minute", "hour", 0, 59, ""),
    HOUR("hour", "day", 0, 23, ""),
    DAY_OF_MONTH("day of the month", "month", 1, 31, ""),
    MONTH("month", "year", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
    DAY_OF_WEEK("day of the week", "week", 0, 7, "SUN MON TUE WED THU FRI SAT");

    private static final int SUNDAY_TOO = 7;

    final String title;
    /** What has all values of the field, after which they begin anew. */
    final String larger;

    final int min;
    /** The greatest number that may be written. */
    final int max;
    /** The greatest value. It differs from {@link #max} for days of the week, where 7 stands for 0. */
    final int last;

    private final String names;

    CronField(String title, String larger, int min, int max, String names) {
        this.title = title;
        this.larger = larger;
        this.min = min;
        this.max = max;
        this.last = max == SUNDAY_TOO ? SUNDAY_TOO - 1 : max;
        this.names = names;
    }

    /** {@return whether a text is the number 7 for Sunday, which begins a week as 0 and ends one as 7} */
    boolean isLastSunday(String text) {
        return this == DAY_OF_WEEK && text.matches("0*" + SUNDAY_TOO);
    }

    /** {@return how many values there are} */
    int size() {
        return last - min + 1;
    }

    /** {@return the value of a number or a name; fails with {@link CronSyntaxException} if it is neither} */
    int value(String text) {
        int name = List.of(names.split(" ")).indexOf(text.toUpperCase(Locale.ROOT));
        if (name >= 0 && !text.isEmpty()) {
            return name + min;
        }
        if (text.equals("?")) {
            throw new CronSyntaxException(
                    "? stands alone, for the day of the month or the day of the week. Write * for the " + title + ".");
        }
        if (!text.matches("[0-9]{1,9}")) {
            throw new CronSyntaxException("The " + title + " is " + limits() + "; this is \"" + text + "\".");
        }
        int number = Integer.parseInt(text);
        if (number < min || number > max) {
            throw new CronSyntaxException("The " + title + " is " + limits() + "; this is " + number + ".");
        }
        return number > last ? number - size() : number;
    }

    private String limits() {
        String numbers = "a number from " + min + " to " + max;
        return names.isEmpty()
                ? numbers
                : numbers + " or a name from " + names.substring(0, 3) + " to " + names.substring(names.length() - 3);
    }
}
