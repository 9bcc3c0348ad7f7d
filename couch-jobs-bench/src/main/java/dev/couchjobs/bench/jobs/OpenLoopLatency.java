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
 * How long jobs take from the time at which they are to be added until their handler starts, when so many come each
 * second whether those before them are through or not. The times are drawn before it begins (a Poisson process, the
 * same for all); who adds too late, because the additions before took too long, is not excused: the clock runs from the
 * drawn time. One instance adds, another works.
 *
 * @param perSecond how many jobs come each second on average
 */
record Arriving(int perSecond) implements Experiment {
    private static final int PRODUCERS = 64;
    private static final int WINDOWS = 3;
    private static final int SEED = 11;
    private static final int DIGITS = 3;
    private static final double MICROS_PER_MILLI = 1_000;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** So that no producer is late for the first. */
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    @Override
    public Load load() {
        return Load.of(2);
    }

    @Override
    public Sample measure(SystemUnderTest system, Duration window) throws InterruptedException {
        JobTally tally = system.tally();
        long[] due = schedule(window.multipliedBy(WINDOWS));
        int warmUp = tally.next(1 + due.length);
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
                    long nanos = now - begin.get() - due[number - first];
                    micros.recordValue(TimeUnit.NANOSECONDS.toMicros(Math.max(0, nanos)));
                }
            });
            producer.add(warmUp);
            system.awaitFirst(before);
            begin.set(System.nanoTime() + LEAD_NANOS);
            produce(producer, first, begin.get(), due);
            if (!tally.await(before + 1 + due.length, window.toNanos() + PATIENCE_NANOS)) {
                throw new IllegalStateException("Jobs that were added have not begun");
            }
            system.awaitEnd(tally.last(JobTally.RECENT));
        }
        return new Sample(
                due.length,
                Map.of(
                        Metric.MEDIAN, micros.getValueAtPercentile(50) / MICROS_PER_MILLI,
                        Metric.P99, micros.getValueAtPercentile(99) / MICROS_PER_MILLI));
    }

    /** When each job is to be added, in nanoseconds from the beginning. */
    private long[] schedule(Duration length) {
        Random random = new Random(SEED);
        double nanosApart = TimeUnit.SECONDS.toNanos(1) / (double) perSecond;
        long[] due = new long[(int) Math.max(1, length.toNanos() / nanosApart)];
        double at = 0;
        for (int job = 0; job < due.length; job++) {
            at -= Math.log(1 - random.nextDouble()) * nanosApart;
            due[job] = (long) at;
        }
        return due;
    }

    private static void produce(JobSystem.Instance producer, int first, long begin, long[] due)
            throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        SystemUnderTest.inThreads(PRODUCERS, () -> {
            int job;
            while ((job = next.getAndIncrement()) < due.length) {
                long early;
                while ((early = begin + due[job] - System.nanoTime()) > 0) {
                    LockSupport.parkNanos(early);
                }
                producer.add(first + job);
            }
        });
    }
}
