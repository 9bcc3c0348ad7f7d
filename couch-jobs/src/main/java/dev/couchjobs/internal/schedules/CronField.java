package dev.couchjobs.internal.schedules;

import java.util.List;
import java.util.Locale;

/** A field of a cron expression: its limits, and the names of its values. */
enum CronField {
    SECOND("second", 0, 59, ""),
    MINUTE("minute", 0, 59, ""),
    HOUR("hour", 0, 23, ""),
    DAY_OF_MONTH("day of the month", 1, 31, ""),
    MONTH("month", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
    DAY_OF_WEEK("day of the week", 0, 7, "SUN MON TUE WED THU FRI SAT");

    final String title;
    final int min;
    final int max;
    private final String names;

    CronField(String title, int min, int max, String names) {
        this.title = title;
        this.min = min;
        this.max = max;
        this.names = names;
    }

    /** {@return the value of a number or a name; fails with {@link CronSyntaxException} if it is neither} */
    int value(String text) {
        int name = List.of(names.split(" ")).indexOf(text.toUpperCase(Locale.ROOT));
        if (name >= 0 && !text.isEmpty()) {
            return name + min;
        }
        if (!text.matches("\\d{1,4}")) {
            throw new CronSyntaxException("The " + title + " is " + limits() + "; this is \"" + text + "\".");
        }
        int number = Integer.parseInt(text);
        if (number < min || number > max) {
            throw new CronSyntaxException("The " + title + " is " + limits() + "; this is " + number + ".");
        }
        return number;
    }

    private String limits() {
        String numbers = "a number from " + min + " to " + max;
        return names.isEmpty()
                ? numbers
                : numbers + " or a name from " + names.substring(0, 3) + " to " + names.substring(names.length() - 3);
    }
}
