package dev.couchjobs.internal.schedules;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads cron expressions. The table in docs/recurring-jobs.md states the grammar. */
final class CronParser {
    private static final Map<String, String> MACROS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private static final String BLANKS = " \t\r\n";
    /** Longer numbers fit into no field. */
    private static final String NUMBER = "[0-9]{1,9}";

    private CronParser() {}

    static CronFields parse(String expression) {
        List<String> texts = split(expression);
        int offset = texts.size() - 5;
        OfDays days = new OfDays();
        return new CronFields(
                offset == 0 ? 1 : bits(CronField.SECOND, texts.get(0)),
                bits(CronField.MINUTE, texts.get(offset)),
                bits(CronField.HOUR, texts.get(offset + 1)),
                days.parse(texts.get(offset + 2), texts.get(offset + 3), texts.get(offset + 4)));
    }

    private static List<String> split(String expression) {
        expression.codePoints().forEach(CronParser::checkCharacter);
        String fields = expression.strip();
        if (fields.startsWith("@")) {
            fields = MACROS.get(fields.toLowerCase(Locale.ROOT));
            if (fields == null) {
                throw new CronSyntaxException("The names are @yearly, @monthly, @weekly, @daily and @hourly."
                        + " For a fixed period use Schedule.every.");
            }
        }
        List<String> texts = fields.isEmpty() ? List.of() : List.of(fields.split("[" + BLANKS + "]+"));
        if (texts.size() == 7) {
            throw new CronSyntaxException(
                    "It has 7 fields. There is none for the year: leave it out, and use" + " startingAt and endingAt.");
        }
        if (texts.size() < 5 || texts.size() > 6) {
            throw new CronSyntaxException("It has " + texts.size()
                    + " fields. Write five: minute, hour, day of the month, month, day of the week;"
                    + " or six, with the second first.");
        }
        return texts;
    }

    /** Many characters of other alphabets look like a space, a hyphen or a digit, and are none. */
    private static void checkCharacter(int character) {
        boolean isPrintable = character > ' ' && character < 0x7f;
        if (!isPrintable && BLANKS.indexOf(character) < 0) {
            String name = Character.getName(character);
            throw new CronSyntaxException(String.format(
                    Locale.ROOT,
                    "It contains the character U+%04X%s. Write ASCII letters, digits and punctuation,"
                            + " and separate the fields with spaces.",
                    character,
                    name == null ? "" : " (" + name + ")"));
        }
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
        int slash = item.indexOf('/');
        if (slash < 0) {
            return range(field, item).bits(1);
        }
        String start = item.substring(0, slash);
        if (start.isEmpty()) {
            throw new CronSyntaxException(
                    "The " + field.title + " \"" + item + "\" has nothing before its step. Write \"*" + item + "\".");
        }
        int step = step(field, item.substring(slash + 1));
        Span range = range(field, start);
        boolean isOpen = !start.equals("*") && start.indexOf('-') < 0 && !field.isLastSunday(start);
        long bits = (isOpen ? range.upTo(field.last) : range).bits(step);
        if (step > 1 && Long.bitCount(bits) == 1) {
            int only = Long.numberOfTrailingZeros(bits);
            throw new CronSyntaxException("The step " + step + " of the " + field.title + " goes beyond the last value,"
                    + " so \"" + item + "\" names only " + only + ". Write \"" + only
                    + "\" if that is meant. A step begins anew with each "
                    + field.larger + "; for a period that does not, use Schedule.every.");
        }
        return bits;
    }

    /**
     * Consecutive values of a field.
     *
     * @param last the last value; beyond that of the field if the range wraps
     */
    private record Span(CronField field, int first, int last) {
        Span upTo(int newLast) {
            return new Span(field, first, newLast);
        }

        /** {@return a bit for every value, or for each of some at equal distances} */
        long bits(int step) {
            long bits = 0;
            for (int value = first; value <= last; value += step) {
                bits |= 1L << (value > field.last ? value - field.size() : value);
            }
            return bits;
        }
    }

    private static Span range(CronField field, String text) {
        if (text.equals("*")) {
            return new Span(field, field.min, field.last);
        }
        int hyphen = text.indexOf('-');
        if (hyphen < 0) {
            int value = field.value(text);
            return new Span(field, value, value);
        }
        String from = text.substring(0, hyphen);
        String to = text.substring(hyphen + 1);
        if (from.isEmpty() || to.isEmpty() || from.equals("*") || to.equals("*") || to.indexOf('-') >= 0) {
            throw new CronSyntaxException("The " + field.title + " \"" + text
                    + "\" is no range: a range has a value on each side of one hyphen, and no value is negative.");
        }
        int first = field.value(from);
        int last = field.value(to);
        boolean wraps = last < first || (field.isLastSunday(to) && !field.isLastSunday(from));
        return new Span(field, first, wraps ? last + field.size() : last);
    }

    private static int step(CronField field, String text) {
        if (!text.matches(NUMBER)) {
            throw new CronSyntaxException("The step of the " + field.title + " is a whole number from 1 to "
                    + (field.size() - 1) + "; this is \"" + text + "\".");
        }
        int step = Integer.parseInt(text);
        if (step == 0) {
            throw new CronSyntaxException("A step of the " + field.title + " is at least 1; this is \"" + text + "\".");
        }
        return step;
    }

    /** Reads the three fields that name days. */
    private static final class OfDays {
        private long days;
        private long beforeLast;
        private long weekdaysNear;
        private long weekdaysNearLast;
        private long weekdays;
        private long lastWeekdays;
        private long nthWeekdays;

        CronDays parse(String dayOfMonth, String month, String dayOfWeek) {
            String ofMonth = withoutQuestionMark(dayOfMonth);
            String ofWeek = withoutQuestionMark(dayOfWeek);
            items(CronField.DAY_OF_MONTH, ofMonth).forEach(this::dayOfMonth);
            items(CronField.DAY_OF_WEEK, ofWeek).forEach(this::dayOfWeek);
            return new CronDays(
                    bits(CronField.MONTH, month),
                    ofMonth.startsWith("*") || ofWeek.startsWith("*"), // as in Vixie's cron, and crontab(5) of Debian
                    new CronDays.OfMonth(days, beforeLast, weekdaysNear, weekdaysNearLast),
                    new CronDays.OfWeek(weekdays, lastWeekdays, nthWeekdays));
        }

        private static String withoutQuestionMark(String text) {
            return text.equals("?") ? "*" : text;
        }

        private void dayOfMonth(String item) {
            String text = item.toUpperCase(Locale.ROOT);
            boolean isWorkingDay = text.endsWith("W");
            String day = isWorkingDay ? text.substring(0, text.length() - 1) : text;
            if (day.equals("L") || day.startsWith("L-")) {
                long bit = 1L << (day.equals("L") ? 0 : daysBeforeLast(day.substring(2)));
                beforeLast |= isWorkingDay ? 0 : bit;
                weekdaysNearLast |= isWorkingDay ? bit : 0;
            } else if (isWorkingDay) {
                if (!day.matches(NUMBER)) {
                    throw new CronSyntaxException("W names the working day nearest to one day, as 15W, LW or L-3W;"
                            + " this is \"" + item + "\".");
                }
                weekdaysNear |= 1L << CronField.DAY_OF_MONTH.value(day);
            } else if (day.indexOf('#') >= 0 || day.endsWith("L")) {
                throw new CronSyntaxException("\"" + item + "\" names a day of the week."
                        + " Write it in the last field, and ? for the day of the month.");
            } else {
                days |= item(CronField.DAY_OF_MONTH, item);
            }
        }

        private static int daysBeforeLast(String text) {
            int before = CronField.DAY_OF_MONTH.value(text);
            if (before == CronField.DAY_OF_MONTH.max) {
                throw new CronSyntaxException("No month has a day that is 31 days before its last.");
            }
            return before;
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
                nthWeekdays |=
                        1L << (8 * CronField.DAY_OF_WEEK.value(text.substring(0, hash)) + Integer.parseInt(week));
            } else if (text.length() > 1 && text.endsWith("L")) {
                lastWeekdays |= 1L << CronField.DAY_OF_WEEK.value(text.substring(0, text.length() - 1));
            } else if (text.startsWith("L")) {
                throw new CronSyntaxException("L and L-3 count from the last day of a month, as day of the month."
                        + " For the last Friday write 5L.");
            } else if (text.matches(NUMBER + "W")) {
                throw new CronSyntaxException("\"" + item + "\" names a day of the month. Write it in that field,"
                        + " and ? for the day of the week.");
            } else {
                weekdays |= item(CronField.DAY_OF_WEEK, item);
            }
        }
    }
}
