package dev.couchjobs.internal.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.InvalidCronException;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random cron expressions, each with a rule that says of a value whether it is named. The oracle asks for each minute
 * field by field. It knows nothing of the parser, and of the search for the next time.
 */
@Tag("long")
class CronOracleTest {
    private static final List<ZoneId> ZONES = zonesWithDifferentRules();
    private static final Instant FIRST = Instant.parse("1990-01-01T00:00:00Z");
    private static final long SECONDS = 40L * 365 * 86_400;

    private static List<ZoneId> zonesWithDifferentRules() {
        Map<ZoneRules, ZoneId> byRules = new LinkedHashMap<>();
        new TreeSet<>(ZoneId.getAvailableZoneIds())
                .forEach(id -> byRules.putIfAbsent(ZoneId.of(id).getRules(), ZoneId.of(id)));
        return List.copyOf(byRules.values());
    }

    private static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    /** Each zone in turn, around a change of its clock if it has one. */
    @Test
    void aroundAChangeOfTheClockEachMinuteIsAskedFieldByField() {
        assertThat(Seeds.of(ZONES.size(), 20L * ZONES.size())
                        .mapToObj(seed -> difference(seed, ZONES.get((int) (seed % ZONES.size())), 60))
                        .flatMap(Optional::stream)
                        .limit(3))
                .isEmpty();
    }

    /** A year of days: last days, working days, and the days of a week. */
    @Test
    void aYearOfDaysIsAskedFieldByField() {
        assertThat(Seeds.of(40, 4_000)
                        .mapToObj(
                                seed -> difference(seed, ZONES.get(random(seed).nextInt(ZONES.size())), 8_784))
                        .flatMap(Optional::stream)
                        .limit(3))
                .isEmpty();
    }

    /** {@return what the times of a random expression are instead, if they are not those of the oracle} */
    private static Optional<String> difference(long seed, ZoneId zone, int hours) {
        RandomGenerator random = random(seed);
        CronOracle oracle = CronOracle.random(random, /* isRare= */ hours > 1_000);
        Instant middle = changeOrAny(random, zone.getRules());
        long around = oracle.hasSeconds() ? 7_200 : hours * 1_800L;
        Instant from = middle.minusSeconds(around);
        Instant to = middle.plusSeconds(around);
        NavigableSet<Instant> expected = oracle.times(zone, from, to);
        List<Instant> actual = new ArrayList<>();
        Cron cron;
        try {
            cron = Cron.of(oracle.expression(), zone);
        } catch (InvalidCronException e) { // such as the third Tuesday of a month, if that is day 1
            return oracle.namesADay()
                    ? Optional.of("seed " + seed + ": " + oracle.expression() + " is refused")
                    : Optional.empty();
        }
        for (Optional<Instant> next = cron.nextAfter(from);
                next.isPresent() && !next.get().isAfter(to);
                next = cron.nextAfter(next.get())) {
            actual.add(next.get());
        }
        return List.copyOf(expected).equals(actual)
                ? Optional.empty()
                : Optional.of("seed " + seed + ": " + oracle.expression() + " in " + zone + " from " + from + " to "
                        + to + ": expected " + firstDifference(List.copyOf(expected), actual));
    }

    private static String firstDifference(List<Instant> expected, List<Instant> actual) {
        int same = 0;
        while (same < Math.min(expected.size(), actual.size())
                && expected.get(same).equals(actual.get(same))) {
            same++;
        }
        return expected.stream().skip(same).limit(3).toList() + " but found "
                + actual.stream().skip(same).limit(3).toList();
    }

    private static Instant changeOrAny(RandomGenerator random, ZoneRules rules) {
        Instant any = FIRST.plusSeconds(random.nextLong(SECONDS));
        ZoneOffsetTransition change =
                random.nextInt(10) == 0 ? rules.previousTransition(any) : rules.nextTransition(any);
        Instant time = change == null ? any : change.getInstant();
        return time.isAfter(FIRST) ? time : any;
    }

    @Test
    void theOracleKnowsTheDaysThatPeopleName() {
        LocalDate friday = LocalDate.of(2026, 5, 15);
        assertThat(CronOracle.workingDayNear(2026, 5, 16)).isEqualTo(friday);
        assertThat(CronOracle.workingDayNear(2026, 5, 31)).isEqualTo(LocalDate.of(2026, 5, 29));
        assertThat(CronOracle.workingDayNear(2026, 8, 1)).isEqualTo(LocalDate.of(2026, 8, 3));
        assertThat(CronOracle.isNth(friday, 3)).isTrue();
        assertThat(CronOracle.isNth(friday, 2)).isFalse();
    }
}
