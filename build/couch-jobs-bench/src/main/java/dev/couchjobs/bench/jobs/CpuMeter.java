package dev.couchjobs.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

/** Measures the CPU time of the processes of a system. */
final class CpuMeter {
    /** For a system in this JVM alone. */
    static final CpuMeter OWN = new CpuMeter(() -> cpuTimeOf(ProcessHandle.current()));

    /** For a system whose CPU time is unknown, because it runs elsewhere. */
    static final CpuMeter NONE = new CpuMeter(() -> Duration.ZERO);

    private static final Duration TICK = Duration.ofMillis(10);
    /** The index of the field {@code cutime} among those after the name of the process. */
    private static final int CHILDREN_USER_TIME = 13;
    /** The index of the field {@code cstime}. */
    private static final int CHILDREN_SYSTEM_TIME = 14;

    private static final double NANOS_PER_MICRO = 1_000;

    private final Supplier<Duration> cpuTime;

    private CpuMeter(Supplier<Duration> cpuTime) {
        this.cpuTime = cpuTime;
    }

    /** For a system in this JVM whose database is another process, with children. */
    static CpuMeter withServer(ProcessHandle server) {
        return new CpuMeter(() -> server.descendants()
                .map(CpuMeter::cpuTimeOf)
                .reduce(cpuTimeOf(server), Duration::plus)
                .plus(endedChildrenTime(server))
                .plus(cpuTimeOf(ProcessHandle.current())));
    }

    /**
     * The CPU time of the ended children of a process; 0 where the operating system does not report it. See proc(5).
     */
    private static Duration endedChildrenTime(ProcessHandle process) {
        Path file = Path.of("/proc", Long.toString(process.pid()), "stat");
        if (!Files.isReadable(file)) {
            return Duration.ZERO;
        }
        try {
            String stat = Files.readString(file);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return TICK.multipliedBy(
                    Long.parseLong(fields[CHILDREN_USER_TIME]) + Long.parseLong(fields[CHILDREN_SYSTEM_TIME]));
        } catch (IOException e) {
            return Duration.ZERO;
        }
    }

    Duration cpuTime() {
        return cpuTime.get();
    }

    static double microsPerJob(Duration cpuTime, long jobs) {
        return jobs == 0 ? 0 : cpuTime.toNanos() / NANOS_PER_MICRO / jobs;
    }

    private static Duration cpuTimeOf(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }
}
