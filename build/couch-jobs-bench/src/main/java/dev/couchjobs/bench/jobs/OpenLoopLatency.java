package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Measures the latency from the scheduled add of a job to the start of its handler, with open-loop Poisson arrivals.
 * The arrival times are drawn before the round, with the same seed for all systems. The latency counts from the drawn
 * time, also if the producer adds late, which corrects for coordinated omission. One instance adds, another works.
 *
 * @param perSecond the mean number of arrivals per second
 */
record OpenLoopLatency(int perSecond) implements Experiment {
    private static final int PRODUCERS = 64;
    private static final int WINDOWS = 3;
    private static final int SEED = 11;
    private static final int DIGITS = 3;
    private static final double MICROS_PER_MILLI = 1_000;
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** The time from the start of the producers to the first arrival. */
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    @Override
    public Load load() {
        return Load.of(2);
    }

    @Override
    public Sample measure(SystemUnderTest system, Duration window) throws InterruptedException {
        JobTally tally = system.tally();
        long[] arrivals = drawArrivals(window.multipliedBy(WINDOWS));
        int warmUp = tally.next(1 + arrivals.length);
        int first = warmUp + 1;
        AtomicLong begin = new AtomicLong();
        ConcurrentHistogram micros = new ConcurrentHistogram(DIGITS);
        try (JobSystem.Instance worker = system.system().join();
                JobSystem.Instance producer = system.system().join()) {
            int before = tally.beginRound();
            worker.work(number -> {
                long now = System.nanoTime();
                tally.run(number);
                if (number >= first) {
                    long nanos = now - begin.get() - arrivals[number - first];
                    micros.recordValue(TimeUnit.NANOSECONDS.toMicros(Math.max(0, nanos)));
                }
            });
            producer.add(warmUp);
            system.awaitFirst(before);
            begin.set(System.nanoTime() + LEAD_NANOS);
            produce(producer, first, begin.get(), arrivals);
            if (!tally.await(before + 1 + arrivals.length, window.toNanos() + TIMEOUT_NANOS)) {
                throw new IllegalStateException("Jobs that were added have not begun");
            }
            system.awaitEnd(tally.last(JobTally.RECENT));
        }
        return new Sample(
                arrivals.length,
                Map.of(
                        Metric.MEDIAN, micros.getValueAtPercentile(50) / MICROS_PER_MILLI,
                        Metric.P99, micros.getValueAtPercentile(99) / MICROS_PER_MILLI));
    }

    /** Draws the arrival time of each job, in nanoseconds from the beginning. */
    private long[] drawArrivals(Duration length) {
        Random random = new Random(SEED);
        double nanosApart = TimeUnit.SECONDS.toNanos(1) / (double) perSecond;
        long[] arrivals = new long[(int) Math.max(1, length.toNanos() / nanosApart)];
        double time = 0;
        for (int job = 0; job < arrivals.length; job++) {
            time -= Math.log(1 - random.nextDouble()) * nanosApart;
            arrivals[job] = (long) time;
        }
        return arrivals;
    }

    private static void produce(JobSystem.Instance producer, int first, long begin, long[] arrivals)
            throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        SystemUnderTest.inThreads(PRODUCERS, () -> {
            int job;
            while ((job = next.getAndIncrement()) < arrivals.length) {
                long wait;
                while ((wait = begin + arrivals[job] - System.nanoTime()) > 0) {
                    LockSupport.parkNanos(wait);
                }
                producer.add(first + job);
            }
        });
    }
}
