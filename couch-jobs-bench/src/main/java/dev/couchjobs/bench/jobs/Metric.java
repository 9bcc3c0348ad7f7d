package dev.couchjobs.bench.jobs;

/** A figure that a round gives. */
enum Metric {
    /** Durable ends, or durable additions. */
    RATE("rate", "", "jobs a second", true),
    /** Half are sooner. */
    MEDIAN("median", ", median", "milliseconds", false),
    /** One in a hundred is later. */
    P99("p99", ", 99th percentile", "milliseconds", false),
    /** Tries of them; for each of what the curve names. */
    TRANSACTIONS("transactions", ": transactions", "", false),
    /** Questions, of one key or of a range. */
    READS("reads", ": reads", "", false),
    /** How often a watch is armed. */
    WATCHES("watches", ": watches armed", "", false),
    /** How many watches a process has at a time, at most. */
    HELD("held", ": watches held at most", "by a process", false),
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
