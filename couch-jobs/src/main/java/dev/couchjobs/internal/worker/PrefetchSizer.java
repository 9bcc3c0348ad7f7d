package dev.couchjobs.internal.worker;

import java.time.Duration;

/**
 * The number of jobs to claim beyond the free slots: twice as many as handlers finish during one claim. Handlers then
 * never wait for a claim. Handlers that take long thus claim nothing ahead, and leave the jobs to others.
 *
 * <p>Not thread-safe.
 */
final class PrefetchSizer {
    private static final int MAX = 100;
    /** How much of what was known remains when one more is learnt, in eighths. */
    private static final int MEMORY = 7;

    private static final Duration PATIENCE_MIN = Duration.ofMillis(100);

    private double jobNanos;
    private double claimNanos;

    void jobTook(Duration time) {
        jobNanos = learnt(jobNanos, time);
    }

    /** Jobs have waited for so long that those before them are taking at least that. */
    void recordQueueTime(Duration time) {
        jobNanos = Math.max(jobNanos, (double) time.toNanos());
    }

    void claimTook(Duration time) {
        claimNanos = learnt(claimNanos, time);
    }

    /** A clock that is set back gives a negative duration, which counts as zero. */
    private static double learnt(double known, Duration time) {
        double nanos = Math.max(1, time.toNanos());
        return known == 0 ? nanos : (known * MEMORY + nanos) / (MEMORY + 1);
    }

    /** How long jobs may wait here while none begins: those that run are then unlike those before them. */
    Duration patience() {
        return Duration.ofNanos(Math.max(PATIENCE_MIN.toNanos(), (long) (2 * jobNanos)));
    }

    int ahead(int concurrency) {
        return jobNanos == 0 ? 0 : (int) Math.min(MAX, 2.0 * concurrency * claimNanos / jobNanos);
    }
}
