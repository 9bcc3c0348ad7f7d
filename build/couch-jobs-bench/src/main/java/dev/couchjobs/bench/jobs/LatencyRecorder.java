package dev.couchjobs.bench.jobs;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/** Records a latency for each of several jobs. Thread-safe. */
final class LatencyRecorder {
    private static final int DIGITS = 3;
    private static final double MICROS_PER_MILLI = 1_000;

    private final Map<Integer, Long> begun = new ConcurrentHashMap<>();
    private final ConcurrentHistogram micros = new ConcurrentHistogram(DIGITS);

    /** Starts the latency of jobs with consecutive numbers. */
    void begin(int first, int count) {
        long now = System.nanoTime();
        for (int number = first; number < first + count; number++) {
            begun.put(number, now);
        }
    }

    /** Restarts the latencies that have not ended. */
    void restart() {
        long now = System.nanoTime();
        begun.replaceAll((number, before) -> now);
    }

    /** Ends the latency of a job; does nothing if it has not started. */
    void end(int number) {
        Long since = begun.remove(number);
        if (since != null) {
            micros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - since));
        }
    }

    /** Removes the recorded latencies. */
    void reset() {
        micros.reset();
    }

    /** The percentiles of the recorded latencies, in milliseconds. */
    Map<Metric, Double> percentiles() {
        return Map.of(
                Metric.MEDIAN, micros.getValueAtPercentile(50) / MICROS_PER_MILLI,
                Metric.P99, micros.getValueAtPercentile(99) / MICROS_PER_MILLI);
    }
}
