package dev.couchjobs.bench.jobs;

/** A figure that a round gives. */
enum Metric {
    /** Durable ends, or durable additions. */
    RATE("rate", "", "jobs a second", true),
    /** Half are sooner. */
    MEDIAN("median", ", median", "milliseconds", false),
    /** One in a hundred is later. */
    P99("p99", ", 99th percentile", "milliseconds", false),
    /** Of all processes that take part; not known of a cluster. */
    PROCESSOR("processor", ", processor time", "microseconds a job", false);

    final String word;
    final String suffix;
    final String unit;
    final boolean isBetterHigher;

    Metric(String word, String suffix, String unit, boolean isBetterHigher) {
        this.word = word;
        this.suffix = suffix;
        this.unit = unit;
        this.isBetterHigher = isBetterHigher;
    }
}
