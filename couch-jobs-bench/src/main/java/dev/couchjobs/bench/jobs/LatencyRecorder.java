package dev.couchjobs.bench.jobs;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/** How long something took for each of some jobs. Thread-safe. */
final class LatencyRecorder {
    private static final int DIGITS = 3;
    private static final double MICROS_PER_MILLI = 1_000;

    private final Map<Integer, Long> begun = new ConcurrentHashMap<>();
    private final ConcurrentHistogram micros = new ConcurrentHistogram(DIGITS);

    /** It begins for jobs with consecutive numbers. */
    void begin(int first, int count) {
        long now = System.nanoTime();
        for (int number = first; number < first + count; number++) {
            begun.put(number, now);
        }
    }

    /** It begins again for those that have begun. */
    void again() {
        long now = System.nanoTime();
        begun.replaceAll((number, before) -> now);
    }

    /** It is over for a job; nothing happens if it has not begun. */
    void end(int number) {
        Long since = begun.remove(number);
        if (since != null) {
            micros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - since));
        }
    }

    /** Forgets those that are over. */
    void forget() {
        micros.reset();
    }

    /** In milliseconds, of those that are over. */
    Map<Metric, Double> percentiles() {
        return Map.of(
                Metric.MEDIAN, micros.getValueAtPercentile(50) / MICROS_PER_MILLI,
                Metric.P99, micros.getValueAtPercentile(99) / MICROS_PER_MILLI);
    }
}
