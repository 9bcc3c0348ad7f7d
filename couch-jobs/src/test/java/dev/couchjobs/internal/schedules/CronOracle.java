package dev.couchjobs.internal.schedules;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A random cron expression, and what each of its fields says about a local time.
 *
 * @param expression the text
 * @param seconds says whether it names a second
 * @param minutes says whether it names a minute
 * @param hours says whether it names an hour
 * @param days says whether it names a day
 */
record CronOracle(
        String expression, IntPredicate seconds, IntPredicate minutes, IntPredicate hours, Predicate<LocalDate> days) {
    private static final List<String> WEEKDAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");
    private static final List<String> MONTHS =
            List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");

    /** A part of an expression with what it says about a value. */
    private record Part<T>(String text, Predicate<T> says) {
        static <T> Part<T> anyOf(List<Part<T>> parts) {
            return new Part<>(
                    parts.stream().map(Part::text).collect(Collectors.joining(",")),
                    value -> parts.stream().anyMatch(part -> part.says().test(value)));
        }
    }

    /** @param isRare whether it names few times of a day, so that many days can be asked */
    static CronOracle random(RandomGenerator random, boolean isRare) {
        boolean hasSeconds = !isRare && random.nextInt(4) == 0;
        Part<Integer> second = hasSeconds ? numbers(random, 0, 59, List.of()) : new Part<>("", value -> value == 0);
        Part<Integer> minute = isRare ? value(random.nextInt(60)) : numbers(random, 0, 59, List.of());
        Part<Integer> hour = isRare ? value(random.nextInt(24)) : numbers(random, 0, 23, List.of());
        Part<LocalDate> days = days(random);
        String[] dayFields = days.text().split(" ");
        String text = (hasSeconds ? second.text() + " " : "") + minute.text() + " " + hour.text() + " "
                + String.join(" ", dayFields);
        return new CronOracle(text, second.says()::test, minute.says()::test, hour.says()::test, days.says());
    }

    private static Part<Integer> value(int number) {
        return new Part<>(String.valueOf(number), value -> value == number);
    }

    private static Part<Integer> numbers(RandomGenerator random, int min, int max, List<String> names) {
        return random.nextInt(3) == 0
                ? new Part<>("*", value -> true)
                : Part.anyOf(list(random, () -> number(random, min, max, names)));
    }

    private static <T> List<Part<T>> list(RandomGenerator random, Supplier<Part<T>> part) {
        List<Part<T>> parts = new ArrayList<>();
        for (int i = random.nextInt(10) < 7 ? 1 : 3; i > 0; i--) {
            parts.add(part.get());
        }
        return parts;
    }

    /** Any, a value, a range that may wrap, each perhaps with a step that names two values at least. */
    private static Part<Integer> number(RandomGenerator random, int min, int max, List<String> names) {
        int size = max - min + 1;
        int first = random.nextInt(min, max + 1);
        int length = random.nextInt(size);
        int last = min + (first - min + length) % size;
        String range = text(random, first, min, names) + "-" + text(random, last, min, names);
        IntPredicate isInRange = value -> Math.floorMod(value - first, size) <= length;
        switch (random.nextInt(5)) {
            case 0 -> {
                return new Part<>(text(random, first, min, names), value -> value == first);
            }
            case 1 -> {
                return new Part<>(range, isInRange::test);
            }
            case 2 -> {
                int step = random.nextInt(1, size);
                return new Part<>("*/" + step, value -> (value - min) % step == 0);
            }
            case 3 -> {
                int step = length == 0 ? 1 : random.nextInt(1, length + 1);
                return new Part<>(
                        range + "/" + step,
                        value -> isInRange.test(value) && Math.floorMod(value - first, size) % step == 0);
            }
            default -> {
                int step = first == max ? 1 : random.nextInt(1, max - first + 1);
                return new Part<>(
                        text(random, first, min, names) + "/" + step,
                        value -> value >= first && (value - first) % step == 0);
            }
        }
    }

    private static String text(RandomGenerator random, int number, int min, List<String> names) {
        if (names.isEmpty() || random.nextBoolean()) {
            return String.valueOf(number);
        }
        String name = names.get(number - min);
        return random.nextBoolean() ? name : name.toLowerCase(Locale.ROOT);
    }

    private static Part<LocalDate> days(RandomGenerator random) {
        Part<Integer> month = numbers(random, 1, 12, MONTHS);
        boolean isAnyDay = random.nextInt(3) == 0;
        boolean isAnyWeekday = random.nextInt(2) == 0;
        Part<LocalDate> ofMonth = isAnyDay
                ? new Part<>(random.nextBoolean() ? "*" : "?", date -> true)
                : Part.anyOf(list(random, () -> dayOfMonth(random)));
        Part<LocalDate> ofWeek = isAnyWeekday
                ? new Part<>(random.nextBoolean() ? "*" : "?", date -> true)
                : Part.anyOf(list(random, () -> dayOfWeek(random)));
        boolean isBoth = beginsWithAll(ofMonth.text()) || beginsWithAll(ofWeek.text());
        Predicate<LocalDate> days =
                isBoth ? ofMonth.says().and(ofWeek.says()) : ofMonth.says().or(ofWeek.says());
        return new Part<>(
                ofMonth.text() + " " + month.text() + " " + ofWeek.text(),
                date -> month.says().test(date.getMonthValue()) && days.test(date));
    }

    /** As crontab(5) of Debian and Vixie's cron say it: by the first character of the field. */
    private static boolean beginsWithAll(String field) {
        return field.charAt(0) == '*' || field.equals("?");
    }

    /** The days at the end of a month are few, so that each month has them. */
    private static Part<LocalDate> dayOfMonth(RandomGenerator random) {
        int day = random.nextInt(1, 29);
        int before = random.nextInt(1, 28);
        return switch (random.nextInt(7)) {
            case 0 -> new Part<>("L", date -> date.plusDays(1).getDayOfMonth() == 1);
            case 1 -> new Part<>("L-" + before, date -> fromEnd(YearMonth.from(date), before) == date.getDayOfMonth());
            case 2 ->
                new Part<>(
                        day + "W",
                        date -> workingDayNear(date.getYear(), date.getMonthValue(), day)
                                .equals(date));
            case 3 ->
                new Part<>(
                        random.nextBoolean() ? "LW" : "lw",
                        date -> nearEnd(date, 0).equals(date));
            case 4 ->
                new Part<>("L-" + before + "W", date -> nearEnd(date, before).equals(date));
            default -> {
                Part<Integer> number = number(random, 1, 31, List.of());
                yield IntStream.range(1, 29).noneMatch(number.says()::test) // a month may lack such days
                        ? new Part<>("1", date -> date.getDayOfMonth() == 1)
                        : new Part<>(number.text(), date -> number.says().test(date.getDayOfMonth()));
            }
        };
    }

    private static int fromEnd(YearMonth month, int days) {
        return month.atEndOfMonth().minusDays(days).getDayOfMonth();
    }

    private static LocalDate nearEnd(LocalDate date, int before) {
        return workingDayNear(date.getYear(), date.getMonthValue(), fromEnd(YearMonth.from(date), before));
    }

    /** {@return of the working days of a month, the one nearest to a day} */
    static LocalDate workingDayNear(int year, int month, int day) {
        YearMonth all = YearMonth.of(year, month);
        return IntStream.rangeClosed(1, all.lengthOfMonth())
                .mapToObj(all::atDay)
                .filter(date -> date.getDayOfWeek() != DayOfWeek.SATURDAY && date.getDayOfWeek() != DayOfWeek.SUNDAY)
                .min(Comparator.comparing(date -> Math.abs(date.getDayOfMonth() - day)))
                .orElseThrow();
    }

    /** Numbers are cron's: 0 and 7 are Sunday. */
    private static Part<LocalDate> dayOfWeek(RandomGenerator random) {
        int weekday = random.nextInt(7);
        String text = weekday == 0 && random.nextBoolean() ? "7" : text(random, weekday, 0, WEEKDAYS);
        int week = random.nextInt(1, 5);
        return switch (random.nextInt(4)) {
            case 0 -> new Part<>(text + "#" + week, date -> number(date) == weekday && isNth(date, week));
            case 1 ->
                new Part<>(
                        text + "L",
                        date -> number(date) == weekday && date.plusWeeks(1).getMonth() != date.getMonth());
            default -> {
                Part<Integer> number = number(random, 0, 6, WEEKDAYS);
                yield new Part<>(
                        number.text().replaceAll("(?<=[1-6]-)0", "7"),
                        date -> number.says().test(number(date)));
            }
        };
    }

    private static int number(LocalDate date) {
        return date.getDayOfWeek() == DayOfWeek.SUNDAY ? 0 : date.getDayOfWeek().getValue();
    }

    static boolean isNth(LocalDate date, int week) {
        return date.minusWeeks(week - 1L).getMonth() == date.getMonth()
                && date.minusWeeks(week).getMonth() != date.getMonth();
    }

    /** {@return whether there is a day that it names} The days of a week have the same dates after 400 years. */
    boolean namesADay() {
        LocalDate first = LocalDate.of(2000, 1, 1);
        return first.datesUntil(first.plusYears(400)).anyMatch(days);
    }

    /** {@return whether it has a field for the second} */
    boolean hasSeconds() {
        return expression.split(" ").length == 6;
    }

    private boolean isForAllHours() {
        return IntStream.range(0, 24).allMatch(hours);
    }

    private boolean names(LocalDateTime minute) {
        return hours.test(minute.getHour()) && minutes.test(minute.getMinute());
    }

    /** {@return the times after one time and not after another, by asking for each minute} */
    NavigableSet<Instant> times(ZoneId zone, Instant from, Instant to) {
        NavigableSet<Instant> times = new TreeSet<>();
        LocalDate end = LocalDate.ofInstant(to, ZoneOffset.MAX);
        for (LocalDate date = LocalDate.ofInstant(from, ZoneOffset.MIN); !date.isAfter(end); date = date.plusDays(1)) {
            if (!days.test(date)) {
                continue;
            }
            for (int minute = 0; minute < 1_440; minute++) {
                LocalDateTime local = date.atTime(LocalTime.of(minute / 60, minute % 60));
                if (names(local)) {
                    addSeconds(times, zone.getRules(), local);
                }
            }
        }
        return new TreeSet<>(times.subSet(from, false, to, true));
    }

    private void addSeconds(NavigableSet<Instant> times, ZoneRules rules, LocalDateTime minute) {
        for (int second = 0; second < 60; second++) {
            if (seconds.test(second)) {
                addInstants(times, rules, minute.withSecond(second));
            }
        }
    }

    /** An expression for all hours names each time that the clock shows; another names each local time once. */
    private void addInstants(NavigableSet<Instant> times, ZoneRules rules, LocalDateTime local) {
        List<ZoneOffset> offsets = rules.getValidOffsets(local);
        if (isForAllHours()) {
            offsets.forEach(offset -> times.add(local.toInstant(offset)));
        } else if (offsets.isEmpty()) {
            times.add(rules.getTransition(local).getInstant());
        } else {
            times.add(offsets.stream()
                    .map(local::toInstant)
                    .min(Comparator.naturalOrder())
                    .orElseThrow());
        }
    }
}
