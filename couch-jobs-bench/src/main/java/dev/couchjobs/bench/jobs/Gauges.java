package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * What is read before and after something is measured.
 *
 * @param traffic what was done to our own database, where that is counted
 * @param processorTime what all processes that take part have used so far
 */
record Gauges(Supplier<Traffic> traffic, Supplier<Duration> processorTime) {
    /** For a system that lives in this JVM. */
    static Gauges of(Supplier<Traffic> traffic) {
        return new Gauges(traffic, () -> processorTime(ProcessHandle.current()));
    }

    /** For a system with a database that has processes of its own. */
    static Gauges of(ProcessHandle server) {
        return new Gauges(
                () -> Traffic.NONE,
                () -> server.descendants()
                        .map(Gauges::processorTime)
                        .reduce(processorTime(server), Duration::plus)
                        .plus(processorTime(ProcessHandle.current())));
    }

    private static Duration processorTime(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }
}
