package dev.couchjobs.bench.topics;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Measures the time from a message's due append to its handler. Messages are due at equal intervals, whether earlier
 * ones have been acknowledged or not, and the time counts from when a message is due.
 */
record OpenLoopLatency(int perSecond, double seconds) {
    private static final int BYTES = 100;
    private static final int DIGITS = 3;
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double WARM_UP = 1 / 3.0;
    private static final long TIMEOUT_MINUTES = 1;

    /**
     * Latencies in milliseconds.
     *
     * @param median half of the messages are faster
     * @param p99 99 of a hundred messages are faster
     */
    record Millis(double median, double p99) {}

    Millis measure(MessageLog log) throws Exception {
        int warmUp = (int) (perSecond * seconds * WARM_UP);
        int count = warmUp + (int) (perSecond * seconds);
        ConcurrentHistogram micros = new ConcurrentHistogram(DIGITS);
        CountDownLatch missing = new CountDownLatch(count);
        try (AutoCloseable consumers = log.consume(1, 100, message -> {
            ByteBuffer content = ByteBuffer.wrap(message);
            if (content.getInt() >= warmUp) {
                micros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - content.getLong()));
            }
            missing.countDown();
        })) {
            append(log, count);
            if (!missing.await(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException(missing.getCount() + " messages do not come by " + consumers);
            }
        }
        return new Millis(
                micros.getValueAtPercentile(50) / MICROS_PER_MILLI, micros.getValueAtPercentile(99) / MICROS_PER_MILLI);
    }

    private void append(MessageLog log, int count) {
        long interval = TimeUnit.SECONDS.toNanos(1) / perSecond;
        long due = System.nanoTime();
        for (int number = 0; number < count; number++) {
            due += interval;
            long wait;
            while ((wait = due - System.nanoTime()) > 0) {
                LockSupport.parkNanos(wait);
            }
            var unused = log.append(List.of(
                    ByteBuffer.allocate(BYTES).putInt(number).putLong(due).array()));
        }
    }
}
