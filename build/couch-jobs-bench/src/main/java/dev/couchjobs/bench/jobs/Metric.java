package dev.couchjobs.bench.jobs;

/** A figure that a round measures. */
enum Metric {
    /** Jobs that ended, or were added, durably per second. */
    RATE("rate", "", "jobs a second", true),
    /** The median latency. */
    MEDIAN("median", ", median", "milliseconds", false),
    /** The 99th percentile of the latency. */
    P99("p99", ", 99th percentile", "milliseconds", false),
    /** Tries of transactions, per unit of the phase. */
    TRANSACTIONS("transactions", ": transactions", "", false),
    /** Reads of a key or of a range. */
    READS("reads", ": reads", "", false),
    /** Watches armed. */
    WATCHES("watches", ": watches armed", "", false),
    /** The maximum number of watches of a process at a time. */
    HELD("held", ": watches held at most", "by a process", false),
    /** The CPU time of all processes; unknown for a cluster. Reports store it as {@code processor}. */
    CPU_TIME("processor", ", CPU time", "CPU microseconds per job", false);

    /** The name in stored reports. */
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
