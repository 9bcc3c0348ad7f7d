package dev.couchjobs.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GrowthTest {
    private static final int MINUTES = 30;

    private static Growth growth(SoakMetric metric, DoubleUnaryOperator ofMinute) {
        List<SoakSample> samples = IntStream.range(0, MINUTES)
                .mapToObj(minute -> new SoakSample(minute, Map.of(metric, ofMinute.applyAsDouble(minute))))
                .toList();
        return new Growth(samples, MINUTES);
    }

    @Test
    void aFigureThatGrowsIsAFault() {
        assertThat(growth(SoakMetric.ROWS, minute -> 10_000 * minute).faults())
                .containsExactly("rows grew from 150000 to 250000 rows");
    }

    @Test
    void aFigureThatWarmsUpAndHasAPeakIsNone() {
        assertThat(growth(SoakMetric.ROWS, minute -> minute < 5 ? minute : minute == 28 ? 1e9 : 100_000)
                        .faults())
                .isEmpty();
    }

    @Test
    void growthWithinTheSlackIsNone() {
        assertThat(growth(SoakMetric.SERVER_THREADS, minute -> 1 + minute / 2).faults())
                .isEmpty();
    }

    @Test
    void latenciesAreNotBounded() {
        assertThat(growth(SoakMetric.START_P99, minute -> 1_000 * minute).faults())
                .isEmpty();
    }
}
