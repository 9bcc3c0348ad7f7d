package dev.couchjobs.internal.worker;

import java.time.Duration;

/**
 * The size of the prefetch: twice as many jobs as handlers finish during one claim. Short handlers then never wait for
 * a claim. For long handlers the prefetch is empty, and other workers can claim the jobs. It holds fewer jobs if
 * they have much data, so that its memory is bounded.
 *
 * <p>Not thread-safe.
 */
final class PrefetchSizer {
    private static final int PREFETCH_MAX = 100;
    /** The most data of a prefetch, if its jobs have as much as recent ones. */
    private static final double PREFETCH_BYTES_MAX = 10_000_000;

    /** The weight of the previous mean in an exponentially weighted moving average; a sample weighs 1. */
    private static final int EWMA_WEIGHT = 7;

    private static final Duration STARVATION_TIMEOUT_MIN = Duration.ofMillis(100);

    private double jobNanos;
    private double claimNanos;
    private double jobBytes;

    void jobTook(Duration time) {
        jobNanos = weightedMean(jobNanos, (double) time.toNanos());
    }

    /** Jobs have waited for a slot: the running jobs take at least that time. */
    void recordQueueTime(Duration time) {
        jobNanos = Math.max(jobNanos, (double) time.toNanos());
    }

    void claimTook(Duration time) {
        claimNanos = weightedMean(claimNanos, (double) time.toNanos());
    }

    /** A job with so much data was claimed. */
    void claimed(int bytes) {
        jobBytes = weightedMean(jobBytes, bytes);
    }

    /** A clock that is set back gives a negative duration, which counts as zero. */
    private static double weightedMean(double mean, double value) {
        double sample = Math.max(1, value);
        return mean == 0 ? sample : (mean * EWMA_WEIGHT + sample) / (EWMA_WEIGHT + 1);
    }

    /** {@return how much data recent jobs have had; 0 if there were none} */
    double jobBytes() {
        return jobBytes;
    }

    /** {@return how long jobs may wait while none begins; the running jobs then take longer than usual} */
    Duration starvationTimeout() {
        return Duration.ofNanos(Math.max(STARVATION_TIMEOUT_MIN.toNanos(), (long) (2 * jobNanos)));
    }

    int size(int concurrency) {
        if (jobNanos == 0) {
            return 0;
        }
        double prefetch = Math.min(PREFETCH_MAX, 2.0 * concurrency * claimNanos / jobNanos);
        return (int) Math.min(prefetch, PREFETCH_BYTES_MAX / Math.max(1, jobBytes));
    }
}
