package dev.couchjobs.internal.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.InvalidCronException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The times of cron expressions, also where clocks change. */
class CronTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static Instant next(String expression, ZoneId zone, Instant after) {
        return Cron.of(expression, zone).nextAfter(after).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* * * * *        | 2026-11-25T10:15:30Z | 2026-11-25T10:16:00Z",
                "* * * * * *      | 2026-11-25T10:15:30Z | 2026-11-25T10:15:31Z",
                "*/10 * * * * *   | 2026-11-25T10:15:59.9Z | 2026-11-25T10:16:00Z",
                "0 3 * * *        | 2026-11-25T03:00:00Z | 2026-11-26T03:00:00Z",
                "0 3 * * *        | 2026-11-25T02:59:59Z | 2026-11-25T03:00:00Z",
                "5/20 * * * *     | 2026-11-25T10:30:00Z | 2026-11-25T10:45:00Z",
                "0 9-17/4 * * *   | 2026-11-25T13:00:00Z | 2026-11-25T17:00:00Z",
                "0 0 1,15 * *     | 2026-11-25T00:00:00Z | 2026-12-01T00:00:00Z",
                "0 0 29 2 *       | 2026-11-25T00:00:00Z | 2028-02-29T00:00:00Z",
                "0 0 29 2 *       | 2096-03-01T00:00:00Z | 2104-02-29T00:00:00Z",
                "0 0 L * *        | 2026-11-25T00:00:00Z | 2026-11-30T00:00:00Z",
                "0 0 L 2 ?        | 2027-11-25T00:00:00Z | 2028-02-29T00:00:00Z",
                "0 0 L-3 * *      | 2026-11-25T00:00:00Z | 2026-11-27T00:00:00Z",
                "0 0 * * mon      | 2026-11-25T00:00:00Z | 2026-11-30T00:00:00Z",
                "0 0 * * 0        | 2026-11-25T00:00:00Z | 2026-11-29T00:00:00Z",
                "0 0 * * 7        | 2026-11-25T00:00:00Z | 2026-11-29T00:00:00Z",
                "0 0 * * 5-7      | 2026-11-28T00:00:00Z | 2026-11-29T00:00:00Z",
                "0 0 ? * FRI#2    | 2026-11-25T00:00:00Z | 2026-12-11T00:00:00Z",
                "0 0 ? * 1#5      | 2026-11-25T00:00:00Z | 2026-11-30T00:00:00Z",
                "0 0 ? * 5L       | 2026-11-25T00:00:00Z | 2026-11-27T00:00:00Z",
                "0 0 ? 2 MON#5    | 2026-11-25T00:00:00Z | 2044-02-29T00:00:00Z",
                "0 0 ? 2 THU#5    | 2080-02-29T00:00:00Z | 2120-02-29T00:00:00Z",
                "0 0 13 * FRI     | 2026-11-28T00:00:00Z | 2026-12-04T00:00:00Z",
                "0 0 13 * FRI     | 2026-12-11T00:00:00Z | 2026-12-13T00:00:00Z",
                "0 0 */2 * MON    | 2026-11-25T00:00:00Z | 2026-12-07T00:00:00Z",
                "0 0 1-31/2 * MON | 2026-11-25T00:00:00Z | 2026-11-27T00:00:00Z",
                "0 0 13 * */2     | 2026-11-25T00:00:00Z | 2026-12-13T00:00:00Z",
                "0 0 13 * */2     | 2026-12-13T00:00:00Z | 2027-02-13T00:00:00Z",
                "0 0 *,13 * FRI   | 2026-11-25T00:00:00Z | 2026-11-27T00:00:00Z",
                "0 0 13,* * FRI   | 2026-11-25T00:00:00Z | 2026-11-26T00:00:00Z",
                "0 0 */10 * */3   | 2026-11-25T00:00:00Z | 2027-01-31T00:00:00Z",
                "0 0 L * */3      | 2026-11-25T00:00:00Z | 2027-01-31T00:00:00Z",
                "0 12 1 jan-mar * | 2026-03-01T12:00:00Z | 2027-01-01T12:00:00Z",
                "0 0 * * FRI-MON  | 2026-11-24T00:00:00Z | 2026-11-27T00:00:00Z",
                "0 0 * * FRI-MON  | 2026-11-30T00:00:00Z | 2026-12-04T00:00:00Z",
                "0 0 * * 0-7      | 2026-11-25T00:00:00Z | 2026-11-26T00:00:00Z",
                "0 0 * * 7-7      | 2026-11-25T00:00:00Z | 2026-11-29T00:00:00Z",
                "0 0 * * 7-2      | 2026-11-29T00:00:00Z | 2026-11-30T00:00:00Z",
                "0 0 * * 6-0      | 2026-11-29T00:00:00Z | 2026-12-05T00:00:00Z",
                "0 22-4 * * *     | 2026-11-25T04:00:00Z | 2026-11-25T22:00:00Z",
                "0 22-4/3 * * *   | 2026-11-25T22:00:00Z | 2026-11-26T01:00:00Z",
                "55-5/5 * * * *   | 2026-11-25T10:05:00Z | 2026-11-25T10:55:00Z",
                "0 0 1 NOV-FEB *  | 2026-02-01T00:00:00Z | 2026-11-01T00:00:00Z",
                "0 0 30-2 * *     | 2026-11-02T00:00:00Z | 2026-11-30T00:00:00Z",
                "0 0 15W * *      | 2026-11-01T00:00:00Z | 2026-11-16T00:00:00Z",
                "0 0 1W * *       | 2026-07-31T00:00:00Z | 2026-08-03T00:00:00Z",
                "0 0 31W * *      | 2026-05-01T00:00:00Z | 2026-05-29T00:00:00Z",
                "0 0 31W * *      | 2026-11-01T00:00:00Z | 2026-12-31T00:00:00Z",
                "0 0 lw * *       | 2026-02-01T00:00:00Z | 2026-02-27T00:00:00Z",
                "0 0 L-2W * ?     | 2026-02-01T00:00:00Z | 2026-02-26T00:00:00Z",
                "0 0 ? * 7L       | 2026-11-25T00:00:00Z | 2026-11-29T00:00:00Z",
                "0 0 ? * 7#1      | 2026-11-25T00:00:00Z | 2026-12-06T00:00:00Z",
                "*,5 * * * *      | 2026-11-25T10:15:30Z | 2026-11-25T10:16:00Z",
                "@hourly          | 2026-11-25T10:15:30Z | 2026-11-25T11:00:00Z",
                "@daily           | 2026-11-25T10:15:30Z | 2026-11-26T00:00:00Z",
                "@weekly          | 2026-11-25T10:15:30Z | 2026-11-29T00:00:00Z",
                "@monthly         | 2026-11-25T10:15:30Z | 2026-12-01T00:00:00Z",
                "@yearly          | 2026-11-25T10:15:30Z | 2027-01-01T00:00:00Z",
            })
    void theNextTime(String expression, Instant after, Instant next) {
        assertThat(next(expression, ZoneOffset.UTC, after)).isEqualTo(next);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "60 * * * *     | The minute is a number from 0 to 59; this is 60.",
                "* 24 * * *     | The hour is a number from 0 to 23; this is 24.",
                "* * 0 * *      | The day of the month is a number from 1 to 31; this is 0.",
                "* * * Jann *   | The month is a number from 1 to 12 or a name from JAN to DEC; this is \"Jann\".",
                "* * * * 8      | The day of the week is a number from 0 to 7 or a name from SUN to SAT; this is 8.",
                "* * * *        | It has 4 fields.",
                "0 0 0 1 1 ? 26 | It has 7 fields. There is none for the year: leave it out",
                "*/0 * * * *    | A step of the minute is at least 1; this is \"0\".",
                "*/ * * * *     | The step of the minute is a whole number from 1 to 59; this is \"\".",
                "*/-5 * * * *   | The step of the minute is a whole number from 1 to 59; this is \"-5\".",
                "*/5/5 * * * *  | The step of the minute is a whole number from 1 to 59; this is \"5/5\".",
                "* * * * 1/MON  | The step of the day of the week is a whole number from 1 to 6; this is \"MON\".",
                "/5 * * * *     | The minute \"/5\" has nothing before its step. Write \"*/5\".",
                "1,,2 * * * *   | The list of the minute has an empty item",
                "0 0 30 2 *     | No month that it names has such a day.",
                "0 0 31 4,6,9,11 * | No month that it names has such a day.",
                "0 0 30W 2 *    | No month that it names has such a day.",
                "0 0 L-31 * *   | No month has a day that is 31 days before its last.",
                "0 0 1-5W * *   | W names the working day nearest to one day, as 15W, LW or L-3W; this is \"1-5W\".",
                "0 0 W * *      | W names the working day nearest to one day",
                "0 0 32W * *    | The day of the month is a number from 1 to 31; this is 32.",
                "0 0 ? * 15W    | \"15W\" names a day of the month. Write it in that field, and ? for the day of the week.",
                "0 0 ? * 5#6    | A month has a first to fifth day of a week",
                "0 0 5L * *     | \"5L\" names a day of the week. Write it in the last field",
                "0 0 5#2 * *    | \"5#2\" names a day of the week. Write it in the last field",
                "0 0 * * L      | For the last Friday write 5L.",
                "0 ? * * *      | ? stands alone, for the day of the month or the day of the week. Write * for the hour.",
                "0 0 ?,5 * *    | ? stands alone",
                "@reboot        | The names are @yearly, @monthly, @weekly, @daily and @hourly.",
                "-1 * * * *     | The minute \"-1\" is no range: a range has a value on each side of one hyphen",
                "5- * * * *     | The minute \"5-\" is no range",
                "1-2-3 * * * *  | The minute \"1-2-3\" is no range",
                "*-5 * * * *    | The minute \"*-5\" is no range",
            })
    void whatCannotBeReadSaysWhatToWrite(String expression, String message) {
        assertThatThrownBy(() -> Cron.of(expression, ZoneOffset.UTC))
                .isInstanceOfSatisfying(
                        InvalidCronException.class,
                        error -> assertThat(error.expression()).isEqualTo(expression))
                .hasMessageContaining("\"" + expression + "\"")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\t\n",
                "\u0000",
                "* * * * \ud800",
                "99999999999 * * * *",
                "*-* * * * *",
                "@",
                "L L L L L"
            })
    void noTextFailsInAnotherWay(String expression) {
        assertThatThrownBy(() -> Cron.of(expression, ZoneOffset.UTC)).isInstanceOf(InvalidCronException.class);
    }

    @Test
    void blanksAroundTheFieldsDoNotCount() {
        assertThat(next(" 0\t3  *\r\n* * \n", ZoneOffset.UTC, Instant.parse("2026-11-25T03:00:00Z")))
                .isEqualTo("2026-11-26T03:00:00Z");
    }

    /** A step that leads beyond the last value at once: its author means a period that cron does not know. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "*/60 * * * *",
                "*/70 * * * *",
                "*/99999 * * * *",
                "*/999999999 * * * *",
                "50/15 * * * *",
                "10-20/11 * * * *",
                "55-5/11 * * * *",
                "5-5/2 * * * *",
                "1,*/70 * * * *",
                "*/60 * * * * *",
                "*/90 * * * * *",
                "0 */24 * * *",
                "0 */36 * * *",
                "0 20/8 * * *",
                "0 0 */31 * *",
                "0 0 20/15 * *",
                "0 0 1 */12 *",
                "0 0 1 DEC/2 *",
                "0 0 * * */7",
                "0 0 * * 7/2",
                "0 0 * * SAT/2",
                "0 0 * * 0-7/7"
            })
    void aStepThatNamesOneValueIsRefused(String expression) {
        assertThatThrownBy(() -> Cron.of(expression, ZoneOffset.UTC))
                .isInstanceOf(InvalidCronException.class)
                .hasMessageContaining("goes beyond the last value")
                .hasMessageContaining("for a period that does not, use Schedule.every.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* * * * * *         | 1",
                "*/7 * * * * *       | 4",
                "* * * * *           | 60",
                "0,50 * * * *        | 600",
                "0,59 0,23 * * *     | 60",
                "0 */5 * * *         | 14400",
                "0 3 * * *           | 86400",
                "0 0 */10 * *        | 86400",
                "0 0 * * MON,FRI     | 259200",
                "0 0 1 * *           | 2419200",
                "0 0 29 2 *          | 126230400",
            })
    void theShortestPeriod(String expression, long seconds) {
        assertThat(Cron.of(expression, ZoneOffset.UTC).shortestPeriod()).isEqualTo(seconds);
    }

    /** They look like a blank, a hyphen, a digit or nothing. */
    @ParameterizedTest
    @CsvSource(
            value = {
                "00A0,NO-BREAK SPACE", "2003,EM SPACE", "3000,IDEOGRAPHIC SPACE", "200B,ZERO WIDTH SPACE",
                "FEFF,ZERO WIDTH NO-BREAK SPACE", "2013,EN DASH", "2212,MINUS SIGN", "0663,ARABIC-INDIC DIGIT THREE",
                "FF13,FULLWIDTH DIGIT THREE", "0131,LATIN SMALL LETTER DOTLESS I", "0000,NULL", "007F,DELETE",
                "1F552,CLOCK FACE THREE OCLOCK"
            })
    void aCharacterThatIsNotOfCronIsNamed(String code, String name) {
        String character = Character.toString(Integer.parseInt(code, 16));

        for (String expression : List.of("0" + character + "3 * * *", "0 3 * * *" + character, character)) {
            assertThatThrownBy(() -> Cron.of(expression, ZoneOffset.UTC))
                    .isInstanceOf(InvalidCronException.class)
                    .hasMessageContaining("It contains the character U+" + code + " (" + name + ").");
        }
    }

    @Test
    void aTimeThatTheClockSkipsIsTheEndOfTheGap() {
        Instant before = Instant.parse("2026-03-28T12:00:00Z");
        Instant gapEnd = Instant.parse("2026-03-29T01:00:00Z"); // 03:00 in Berlin

        assertThat(next("30 2 * * *", BERLIN, before)).isEqualTo(gapEnd);
        assertThat(next("30 2 * * *", BERLIN, gapEnd)).isEqualTo("2026-03-30T00:30:00Z");
    }

    @Test
    void aTimeThatTheClockRepeatsIsTheFirst() {
        Instant first = Instant.parse("2026-10-25T00:30:00Z"); // 02:30 in Berlin, and again an hour later

        assertThat(next("30 2 * * *", BERLIN, first.minusSeconds(1))).isEqualTo(first);
        assertThat(next("30 2 * * *", BERLIN, first)).isEqualTo("2026-10-26T01:30:00Z");
    }

    @Test
    void whatIsDueEveryHourIsDueInBothHours() {
        Instant first = Instant.parse("2026-10-25T00:30:00Z");

        assertThat(next("30 * * * *", BERLIN, first)).isEqualTo(first.plus(Duration.ofHours(1)));
    }

    /** Expressions, each with what it says about a minute in words of its own. */
    private static Map<String, Predicate<LocalDateTime>> expressions() {
        Map<String, Predicate<LocalDateTime>> all = new LinkedHashMap<>();
        all.put("* * * * *", time -> true);
        all.put("*/15 * * * *", time -> time.getMinute() % 15 == 0);
        all.put("30 2 * * *", time -> time.getHour() == 2 && time.getMinute() == 30);
        all.put("0 0 * * *", time -> time.getHour() == 0 && time.getMinute() == 0);
        all.put("0 */2 * * *", time -> time.getHour() % 2 == 0 && time.getMinute() == 0);
        all.put("*/20 0-3 * * *", time -> time.getHour() <= 3 && time.getMinute() % 20 == 0);
        all.put(
                "10 1,23 * * SUN",
                time -> time.getDayOfWeek() == DayOfWeek.SUNDAY
                        && (time.getHour() == 1 || time.getHour() == 23)
                        && time.getMinute() == 10);
        return all;
    }

    private static boolean isHourly(String expression) {
        return expression.matches("\\S+ \\* .*");
    }

    @Test
    void everyMinuteAroundEveryTransitionHasTheNextTimeThatFollowsFromTheRules() {
        int transitions = 0;
        for (ZoneId zone : zonesWithDifferentRules()) {
            for (ZoneOffsetTransition transition : transitions(zone.getRules())) {
                expressions().forEach((expression, says) -> scan(zone, transition, expression, says));
                transitions++;
            }
        }
        assertThat(transitions).isGreaterThan(400);
    }

    private static List<ZoneId> zonesWithDifferentRules() {
        Map<ZoneRules, ZoneId> byRules = new LinkedHashMap<>();
        new TreeSet<>(ZoneId.getAvailableZoneIds())
                .forEach(id -> byRules.putIfAbsent(ZoneId.of(id).getRules(), ZoneId.of(id)));
        return List.copyOf(byRules.values());
    }

    /** The transitions of two years, and the odd ones of the past: half an hour, a quarter, a whole day. */
    private static List<ZoneOffsetTransition> transitions(ZoneRules rules) {
        List<ZoneOffsetTransition> all = new ArrayList<>();
        ZoneOffsetTransition next = rules.nextTransition(Instant.parse("1985-01-01T00:00:00Z"));
        while (next != null && next.getInstant().isBefore(Instant.parse("2028-01-01T00:00:00Z"))) {
            boolean isOdd = next.getDuration().abs().toMinutes() % 60 != 0
                    || next.getDuration().abs().toHours() > 1;
            if (isOdd || next.getInstant().isAfter(Instant.parse("2026-01-01T00:00:00Z"))) {
                all.add(next);
            }
            next = rules.nextTransition(next.getInstant());
        }
        return all;
    }

    private static void scan(
            ZoneId zone, ZoneOffsetTransition transition, String expression, Predicate<LocalDateTime> says) {
        Duration around = transition.getDuration().abs().plusHours(3);
        Instant from = transition.getInstant().minus(around);
        Instant to = transition.getInstant().plus(around);
        NavigableSet<Instant> times = isHourly(expression) ? matches(zone, from, to, says) : once(zone, from, to, says);
        Cron cron = Cron.of(expression, zone);
        for (Instant minute = from; minute.isBefore(to); minute = minute.plusSeconds(60)) {
            Instant expected = times.higher(minute);
            Optional<Instant> next = cron.nextAfter(minute);
            if (expected == null) {
                assertThat(next.orElseThrow()).isAfter(to);
            } else {
                assertThat(next)
                        .as("%s in %s after %s", expression, zone, minute)
                        .contains(expected);
            }
        }
    }

    /** Every minute whose local time matches. */
    private static NavigableSet<Instant> matches(ZoneId zone, Instant from, Instant to, Predicate<LocalDateTime> says) {
        NavigableSet<Instant> times = new TreeSet<>();
        for (Instant minute = from; !minute.isAfter(to); minute = minute.plusSeconds(60)) {
            if (says.test(LocalDateTime.ofInstant(minute, zone))) {
                times.add(minute);
            }
        }
        return times;
    }

    /** Every local time that matches, once. */
    private static NavigableSet<Instant> once(ZoneId zone, Instant from, Instant to, Predicate<LocalDateTime> says) {
        NavigableSet<Instant> times = new TreeSet<>();
        LocalDateTime end = LocalDateTime.ofInstant(to, ZoneOffset.MAX);
        for (LocalDateTime local = LocalDateTime.ofInstant(from, ZoneOffset.MIN);
                !local.isAfter(end);
                local = local.plusMinutes(1)) {
            if (says.test(local)) {
                Instant time = instant(zone.getRules(), local);
                if (!time.isBefore(from) && !time.isAfter(to)) {
                    times.add(time);
                }
            }
        }
        return times;
    }

    private static Instant instant(ZoneRules rules, LocalDateTime local) {
        List<ZoneOffset> offsets = rules.getValidOffsets(local);
        return switch (offsets.size()) {
            case 0 -> rules.getTransition(local).getInstant();
            case 1 -> local.toInstant(offsets.get(0));
            default ->
                local.toInstant(offsets.stream()
                        .max((a, b) -> Integer.compare(a.getTotalSeconds(), b.getTotalSeconds()))
                        .orElseThrow());
        };
    }
}
