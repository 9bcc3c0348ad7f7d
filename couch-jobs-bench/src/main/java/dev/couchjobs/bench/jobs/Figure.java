package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One result.
 *
 * @param row what it is about
 * @param unit of the value
 * @param value what was measured
 * @param jobs how many jobs it took
 * @param lost how many of them were not run, or are not known to be over after it
 * @param doubled how many runs were too many
 */
record Figure(String row, String unit, double value, long jobs, long lost, long doubled) {
    static final String RATE = "jobs/s";
    static final String LATENCY = "ms";

    /** What the machine's processors had to do for each job. */
    static Figure processorTime(String row, Duration used, long jobs, long lost, long doubled) {
        double micros = used.toNanos() / (double) TimeUnit.MICROSECONDS.toNanos(jobs);
        return new Figure(row + ": processor time per job", "us", micros, jobs, lost, doubled);
    }

    boolean isSound() {
        return lost == 0 && doubled == 0;
    }
}
