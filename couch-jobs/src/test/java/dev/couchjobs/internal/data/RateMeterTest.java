package dev.couchjobs.internal.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Whenever jobs ask to start, no more start than the rate says, and the meter knows when the next one may. */
class RateMeterTest {
    private static final byte[] KEY = {};
    private static final long FIRST_VERSION = 7_000_000_123L;

    /** Some time passes, and some jobs ask to start. */
    record Step(long micros, int jobs) {}

    @Provide
    Arbitrary<Rate> windows() {
        return Combinators.combine(
                        Arbitraries.integers().between(1, 20),
                        Arbitraries.integers().between(1, 50))
                .as((starts, millis) -> Rate.perWindow(starts, Duration.ofMillis(millis)));
    }

    @Provide
    Arbitrary<Rate> buckets() {
        return Combinators.combine(
                        Arbitraries.integers().between(1, 20),
                        Arbitraries.integers().between(1, 50),
                        Arbitraries.integers().between(1, 10))
                .as((starts, millis, burst) -> Rate.evenly(starts, Duration.ofMillis(millis), burst));
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.longs().between(0, 100_000),
                        Arbitraries.integers().between(0, 30))
                .as(Step::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60);
    }

    /** {@return the versions of all starts} */
    private static List<Long> starts(Rate rate, List<Step> steps) {
        List<Long> starts = new ArrayList<>();
        long version = FIRST_VERSION;
        Optional<Tuple> row = Optional.empty();
        for (Step step : steps) {
            version += step.micros();
            RateMeter meter = new RateMeter(KEY, rate, version, row);
            int started = Math.min(step.jobs(), meter.available());
            for (int i = 0; i < started; i++) {
                starts.add(version);
            }
            row = Optional.of(meter.after(started));
        }
        return starts;
    }

    @Property
    void noMoreJobsStartInAWindow(@ForAll("windows") Rate rate, @ForAll("steps") List<Step> steps) {
        Map<Long, Integer> byWindow = new HashMap<>();
        long micros = rate.period().toMillis() * 1_000;
        starts(rate, steps).forEach(version -> byWindow.merge(version / micros, 1, Integer::sum));

        assertThat(byWindow.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(rate.starts()));
    }

    @Property
    void inAnyTimeNoMoreJobsStartThanTheBurstAndTheShareOfThatTime(
            @ForAll("buckets") Rate rate, @ForAll("steps") List<Step> steps) {
        List<Long> starts = starts(rate, steps);
        double perMicro = rate.starts() / (rate.period().toMillis() * 1_000.0);

        for (int first = 0; first < starts.size(); first++) {
            for (int last = first; last < starts.size(); last++) {
                double most = rate.burst() + (starts.get(last) - starts.get(first)) * perMicro;
                assertThat((double) (last - first + 1)).isLessThanOrEqualTo(most + 1e-6);
            }
        }
    }

    @Property
    void theNextJobMayStartWhenTheMeterSaysAndNotBefore(
            @ForAll("anyRates") Rate rate, @ForAll("steps") @Size(max = 20) List<Step> steps) {
        long version = FIRST_VERSION;
        Optional<Tuple> row = Optional.empty();
        for (Step step : steps) {
            version += step.micros();
            RateMeter meter = new RateMeter(KEY, rate, version, row);
            row = Optional.of(meter.after(meter.available()));
            RateMeter empty = new RateMeter(KEY, rate, version, row);
            long next = version + empty.untilNext().toNanos() / 1_000;

            assertThat(meter.versionOfNext()).isEqualTo(next);
            assertThat(empty.available()).isZero();
            assertThat(new RateMeter(KEY, rate, next - 1, row).available()).isZero();
            assertThat(new RateMeter(KEY, rate, next, row).available()).isPositive();
        }
    }

    @Provide
    Arbitrary<Rate> anyRates() {
        return Arbitraries.oneOf(windows(), buckets());
    }

    @Example
    void theLargestRatesAndLongTimesDoNotOverflow() {
        Rate rate = Rate.evenly(1_000_000, Duration.ofDays(31), 1_000_000);
        Optional<Tuple> row = Optional.of(new RateMeter(KEY, rate, FIRST_VERSION, Optional.empty()).after(1_000_000));

        assertThat(new RateMeter(KEY, rate, FIRST_VERSION, row).available()).isZero();
        assertThat(new RateMeter(KEY, rate, Long.MAX_VALUE, row).available()).isEqualTo(1_000_000);
    }

    @Example
    void afterAMoveToADatabaseWithSmallerVersionsTheRateBeginsAnew() {
        for (Rate rate : List.of(Rate.perWindow(3, Duration.ofHours(1)), Rate.evenly(3, Duration.ofHours(1), 3))) {
            Optional<Tuple> row = Optional.of(new RateMeter(KEY, rate, Long.MAX_VALUE / 2, Optional.empty()).after(3));

            assertThat(new RateMeter(KEY, rate, FIRST_VERSION, row).available()).isEqualTo(3);
        }
    }
}
