package dev.couchjobs.bench.jobs;

import java.util.Locale;
import java.util.OptionalDouble;

/** What a job costs. */
enum CostFigure {
    /** The CPU time of the only Java thread. It depends on the machine, and is never checked. */
    CPU_TIME("CPU time", "µs", OptionalDouble.empty()),
    /** Bytes of new objects. */
    ALLOCATED("allocated", "bytes", OptionalDouble.of(3)),
    /** Transactions, without further tries. */
    TRANSACTIONS("transactions", "", OptionalDouble.of(2)),
    /** Keys set, changed or cleared. */
    KEYS_WRITTEN("keys written", "", OptionalDouble.of(2)),
    /** Bytes in these keys and their values. */
    BYTES_WRITTEN("bytes written", "bytes", OptionalDouble.of(2)),
    /** Bytes written to the log in the directory. */
    LOGGED("written to the log", "bytes", OptionalDouble.of(2)),
    /** Syncs of the log in the directory. */
    SYNCS("syncs of the log", "", OptionalDouble.of(2));

    private static final double HUNDRED = 100;

    private final String label;
    private final String unit;
    private final OptionalDouble tolerance;

    CostFigure(String label, String unit, OptionalDouble tolerance) {
        this.label = label;
        this.unit = unit;
        this.tolerance = tolerance;
    }

    String label() {
        return label;
    }

    /** The unit; empty for a count. */
    String unit() {
        return unit;
    }

    /** Formats a value of any figure. */
    static String number(double value) {
        return String.format(Locale.ROOT, value < HUNDRED ? "%.4f" : "%,.0f", value);
    }

    /** By how many per cent the figure may grow; empty if it is not checked. */
    OptionalDouble tolerance() {
        return tolerance;
    }
}
