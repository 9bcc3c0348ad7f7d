package dev.couchjobs.fdb.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * The seeds that a test of many seeds runs.
 *
 * <p>{@code -Dsimulation.seeds=20000} runs more of them, {@code -Dsimulation.first=3000} begins with another one, and
 * {@code -Dsimulation.seed=42} runs just that one. The profile {@code long} sets {@code -Dlong=true}.
 */
public final class Seeds {

    private Seeds() {}

    /**
     * {@return the seeds from 0 on, or in the profile {@code long} those after the default run's, unless a property
     * says otherwise}
     *
     * @param usual how many in the default run
     * @param inLongRun how many in the profile {@code long}
     */
    public static LongStream of(long usual, long inLongRun) {
        Long one = Long.getLong("simulation.seed");
        long first = Long.getLong("simulation.first", isLongRun() ? usual : 0);
        long count = Long.getLong("simulation.seeds", isLongRun() ? inLongRun : usual);
        return one == null ? LongStream.range(first, first + count) : LongStream.of(one);
    }

    /** Asserts that a seed always gives the same trace, and each seed another one. */
    public static void assertDetermine(LongFunction<String> traceOf, long seeds) {
        Set<String> traces = new HashSet<>();
        for (long seed = 0; seed < seeds; seed++) {
            String trace = traceOf.apply(seed);
            assertThat(traceOf.apply(seed)).isEqualTo(trace);
            assertThat(traces).doesNotContain(trace);
            traces.add(trace);
        }
    }

    /** {@return whether this is the profile {@code long}} */
    public static boolean isLongRun() {
        return Boolean.getBoolean("long");
    }
}
