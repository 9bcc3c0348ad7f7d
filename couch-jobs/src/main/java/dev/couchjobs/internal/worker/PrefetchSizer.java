package dev.couchjobs.internal.worker;

import java.time.Duration;

/**
 * How many jobs of a type to claim beyond those that can run at once, so that handlers do not stand idle while more are
 * being claimed: twice as many as they come to the end of in that time. Handlers that take long thus claim nothing
 * ahead, and leave the jobs to others. Guarded by the pool.
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

    /** The clock may be set meanwhile; less than nothing is nothing. */
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
