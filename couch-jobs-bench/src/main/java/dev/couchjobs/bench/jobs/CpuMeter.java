package dev.couchjobs.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

/** What the processes that take part have used of the processors. */
final class Gauges {
    /** Of a system in this JVM alone. */
    static final Gauges OWN = new Gauges(() -> used(ProcessHandle.current()));

    /** Of a system that works elsewhere, which is not known. */
    static final Gauges NONE = new Gauges(() -> Duration.ZERO);

    private static final Duration TICK = Duration.ofMillis(10);
    /** Places behind the process's name. */
    private static final int ENDED_USER = 13;

    private static final int ENDED_SYSTEM = 14;

    private static final double NANOS_PER_MICRO = 1_000;

    private final Supplier<Duration> processorTime;

    private Gauges(Supplier<Duration> processorTime) {
        this.processorTime = processorTime;
    }

    /** Of a system with a database that has processes of its own. */
    static Gauges with(ProcessHandle server) {
        return new Gauges(() -> server.descendants()
                .map(Gauges::used)
                .reduce(used(server), Duration::plus)
                .plus(ofEndedChildren(server))
                .plus(used(ProcessHandle.current())));
    }

    /** What a process's children had used that are not there any more, where the system reports it: see proc(5). */
    private static Duration ofEndedChildren(ProcessHandle process) {
        Path file = Path.of("/proc", Long.toString(process.pid()), "stat");
        if (!Files.isReadable(file)) {
            return Duration.ZERO;
        }
        try {
            String said = Files.readString(file);
            String[] fields = said.substring(said.lastIndexOf(')') + 2).split(" ", -1);
            return TICK.multipliedBy(Long.parseLong(fields[ENDED_USER]) + Long.parseLong(fields[ENDED_SYSTEM]));
        } catch (IOException e) {
            return Duration.ZERO;
        }
    }

    Duration processorTime() {
        return processorTime.get();
    }

    static double microsPerJob(Duration used, long jobs) {
        return jobs == 0 ? 0 : used.toNanos() / NANOS_PER_MICRO / jobs;
    }

    private static Duration used(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }
}
