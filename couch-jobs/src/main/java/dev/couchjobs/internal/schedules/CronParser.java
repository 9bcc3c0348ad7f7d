package dev.couchjobs.internal.schedules;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads cron expressions. */
final class CronParser {
    private static final Map<String, String> MACROS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private static final int SUNDAY_TOO = 7;

    private CronParser() {}

    static CronFields parse(String expression) {
        List<String> texts = split(expression.trim());
        int offset = texts.size() - 5;
        OfDays days = new OfDays();
        return new CronFields(
                offset == 0 ? 1 : bits(CronField.SECOND, texts.get(0)),
                bits(CronField.MINUTE, texts.get(offset)),
                bits(CronField.HOUR, texts.get(offset + 1)),
                days.parse(texts.get(offset + 2), texts.get(offset + 3), texts.get(offset + 4)));
    }

    private static List<String> split(String expression) {
        String fields = expression;
        if (expression.startsWith("@")) {
            fields = MACROS.get(expression.toLowerCase(Locale.ROOT));
            if (fields == null) {
                throw new CronSyntaxException("The names are @yearly, @monthly, @weekly, @daily and @hourly."
                        + " For a fixed period use Schedule.every.");
            }
        }
        List<String> texts = List.of(fields.split("\\s+"));
        if (texts.size() < 5 || texts.size() > 6) {
            throw new CronSyntaxException("It has " + texts.size()
                    + " fields. Write five: minute, hour, day of the month, month, day of the week;"
                    + " or six, with the second first.");
        }
        return texts;
    }

    private static long bits(CronField field, String text) {
        long bits = 0;
        for (String item : items(field, text)) {
            bits |= item(field, item);
        }
        return bits;
    }

    private static List<String> items(CronField field, String text) {
        List<String> items = List.of(text.split(",", -1));
        if (items.contains("")) {
            throw new CronSyntaxException("The list of the " + field.title + " has an empty item: \"" + text + "\".");
        }
        return items;
    }

    /** Reads {@code *}, a value, or a range, with or without a step. */
    private static long item(CronField field, String item) {
        String[] parts = item.split("/", -1);
        if (parts.length > 2) {
            throw new CronSyntaxException("The " + field.title + " has two steps: \"" + item + "\".");
        }
        int step = parts.length == 1 ? 1 : step(field, parts[1]);
        int first = field.min;
        int last = field == CronField.DAY_OF_WEEK ? field.max - 1 : field.max;
        if (!parts[0].equals("*")) {
            String[] ends = parts[0].split("-", -1);
            if (ends.length > 2) {
                throw new CronSyntaxException("The " + field.title + " has no range \"" + parts[0] + "\".");
            }
            first = field.value(ends[0]);
            if (ends.length == 2) {
                last = field.value(ends[1]);
            } else if (parts.length == 1) {
                last = first;
            }
        }
        if (last < first) {
            throw new CronSyntaxException("The range \"" + parts[0] + "\" of the " + field.title
                    + " ends before it begins. Write two ranges, separated by a comma.");
        }
        long bits = 0;
        for (int value = first; value <= last; value += step) {
            bits |= 1L << value;
        }
        return bits;
    }

    private static int step(CronField field, String text) {
        if (!text.matches("\\d{1,4}") || Integer.parseInt(text) == 0) {
            throw new CronSyntaxException("A step of the " + field.title + " is at least 1; this is \"" + text + "\".");
        }
        return Integer.parseInt(text);
    }

    /** Reads the three fields that name days. */
    private static final class OfDays {
        private long days;
        private long beforeLast;
        private long weekdays;
        private long lastWeekdays;
        private long nthWeekdays;

        CronDays parse(String dayOfMonth, String month, String dayOfWeek) {
            boolean anyDayOfMonth = isAny(dayOfMonth);
            boolean anyDayOfWeek = isAny(dayOfWeek);
            if (!anyDayOfMonth) {
                items(CronField.DAY_OF_MONTH, dayOfMonth).forEach(this::dayOfMonth);
            }
            if (!anyDayOfWeek) {
                items(CronField.DAY_OF_WEEK, dayOfWeek).forEach(this::dayOfWeek);
            }
            return new CronDays(
                    bits(CronField.MONTH, month),
                    new CronDays.OfMonth(anyDayOfMonth, days, beforeLast),
                    new CronDays.OfWeek(anyDayOfWeek, weekdays, lastWeekdays, nthWeekdays));
        }

        private static boolean isAny(String text) {
            return text.equals("*") || text.equals("?");
        }

        private void dayOfMonth(String item) {
            String text = item.toUpperCase(Locale.ROOT);
            if (text.equals("L")) {
                beforeLast |= 1;
            } else if (text.startsWith("L-")) {
                int before = CronField.DAY_OF_MONTH.value(text.substring(2));
                if (before == CronField.DAY_OF_MONTH.max) {
                    throw new CronSyntaxException("No month has a day that is 31 days before its last.");
                }
                beforeLast |= 1L << before;
            } else if (text.endsWith("W")) {
                throw new CronSyntaxException("W, the nearest working day, is not supported. Name the days.");
            } else {
                days |= item(CronField.DAY_OF_MONTH, item);
            }
        }

        private void dayOfWeek(String item) {
            String text = item.toUpperCase(Locale.ROOT);
            int hash = text.indexOf('#');
            if (hash >= 0) {
                String week = text.substring(hash + 1);
                if (!week.matches("[1-5]")) {
                    throw new CronSyntaxException(
                            "A month has a first to fifth day of a week, # and 1 to 5; this is \"" + item + "\".");
                }
                nthWeekdays |= 1L << (8 * weekday(text.substring(0, hash)) + Integer.parseInt(week));
            } else if (text.length() > 1 && text.endsWith("L")) {
                lastWeekdays |= 1L << weekday(text.substring(0, text.length() - 1));
            } else if (text.equals("L")) {
                throw new CronSyntaxException(
                        "L alone names the last day of a month, as day of the month. For the last Friday write 5L.");
            } else {
                long bits = item(CronField.DAY_OF_WEEK, item);
                weekdays |= (bits & ~(1L << SUNDAY_TOO)) | (bits >>> SUNDAY_TOO);
            }
        }

        private static int weekday(String text) {
            return CronField.DAY_OF_WEEK.value(text) % SUNDAY_TOO;
        }
    }
}
