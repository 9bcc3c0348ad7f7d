package dev.couchjobs.bench.jobs;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.stream.LongStream;

/** Measures the CPU time of this process, and the allocations of its threads that live. */
final class ProcessMeter {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * A reading, or the difference between two.
     *
     * @param cpuTime the CPU time of the process, with its compilers and its garbage collector
     * @param allocated the bytes that the threads have allocated
     */
    record Reading(Duration cpuTime, long allocated) {
        static final Reading NONE = new Reading(Duration.ZERO, 0);

        Reading plus(Reading other) {
            return new Reading(cpuTime.plus(other.cpuTime), allocated + other.allocated);
        }

        Reading since(Reading earlier) {
            return new Reading(cpuTime.minus(earlier.cpuTime), allocated - earlier.allocated);
        }
    }

    /** Threads that end between two readings are missing from the difference, so read before they end. */
    Reading read() {
        long allocated = LongStream.of(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
        return new Reading(CpuMeter.OWN.cpuTime(), allocated);
    }
}
