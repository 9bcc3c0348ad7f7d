package dev.couchjobs.bench.jobs;

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

    boolean isSound() {
        return lost == 0 && doubled == 0;
    }
}
