package dev.couchjobs.internal.limits;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Rate;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whenever jobs ask to start, no more start than the rate says, and the meter knows when the next one may. */
class RateMeterTest {
    private static final byte[] KEY = {};
    private static final long FIRST_VERSION = 7_000_000_123L;

    /** Some time passes, and some jobs ask to start. */
    record Step(long micros, int jobs) {}

    private static Rate window(Samples samples) {
        return Rate.perWindow(samples.between(1, 20), Duration.ofMillis(samples.between(1, 50)));
    }

    private static Rate bucket(Samples samples) {
        return Rate.evenly(samples.between(1, 20), Duration.ofMillis(samples.between(1, 50)), samples.between(1, 10));
    }

    private static List<Step> steps(Samples samples) {
        return samples.list(1, 60, RateMeterTest::step);
    }

    private static Step step(Samples samples) {
        return new Step(samples.between(0, 100_000), samples.between(0, 30));
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

    @Test
    void noMoreJobsStartInAWindow() {
        Samples.check(1_000, samples -> {
            Rate rate = window(samples);
            List<Step> steps = steps(samples);

            Map<Long, Integer> byWindow = new HashMap<>();
            long micros = rate.period().toMillis() * 1_000;
            starts(rate, steps).forEach(version -> byWindow.merge(version / micros, 1, Integer::sum));

            assertThat(byWindow.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(rate.starts()));
        });
    }

    @Test
    void inAnyTimeNoMoreJobsStartThanTheBurstAndTheShareOfThatTime() {
        Samples.check(1_000, samples -> {
            Rate rate = bucket(samples);
            List<Step> steps = steps(samples);

            List<Long> starts = starts(rate, steps);
            double perMicro = rate.starts() / (rate.period().toMillis() * 1_000.0);

            for (int first = 0; first < starts.size(); first++) {
                for (int last = first; last < starts.size(); last++) {
                    double most = rate.burst() + (starts.get(last) - starts.get(first)) * perMicro;
                    assertThat((double) (last - first + 1)).isLessThanOrEqualTo(most + 1e-6);
                }
            }
        });
    }

    @Test
    void theNextJobMayStartWhenTheMeterSaysAndNotBefore() {
        Samples.check(1_000, samples -> {
            Rate rate = samples.oneOf(RateMeterTest::window, RateMeterTest::bucket);
            List<Step> steps = steps(samples);

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
        });
    }

    @Test
    void theLargestRatesAndLongTimesDoNotOverflow() {
        Rate rate = Rate.evenly(1_000_000, Duration.ofDays(31), 1_000_000);
        Optional<Tuple> row = Optional.of(new RateMeter(KEY, rate, FIRST_VERSION, Optional.empty()).after(1_000_000));

        assertThat(new RateMeter(KEY, rate, FIRST_VERSION, row).available()).isZero();
        assertThat(new RateMeter(KEY, rate, Long.MAX_VALUE, row).available()).isEqualTo(1_000_000);
    }

    @Test
    void afterAMoveToADatabaseWithSmallerVersionsTheRateBeginsAnew() {
        for (Rate rate : List.of(Rate.perWindow(3, Duration.ofHours(1)), Rate.evenly(3, Duration.ofHours(1), 3))) {
            Optional<Tuple> row = Optional.of(new RateMeter(KEY, rate, Long.MAX_VALUE / 2, Optional.empty()).after(3));

            assertThat(new RateMeter(KEY, rate, FIRST_VERSION, row).available()).isEqualTo(3);
        }
    }
}
