package dev.couchjobs.bench.jobs;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Measures the CPU time and the allocations of the calling thread. */
final class ThreadCostMeter implements CostMeter {
    private static final double NANOS_PER_MICRO = TimeUnit.MICROSECONDS.toNanos(1);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long thread = Thread.currentThread().getId();
    private long nanosBefore;
    private long bytesBefore;

    @Override
    public void begin() {
        nanosBefore = threads.getCurrentThreadCpuTime();
        bytesBefore = threads.getThreadAllocatedBytes(thread);
    }

    @Override
    public Map<CostFigure, Double> end() {
        double bytes = threads.getThreadAllocatedBytes(thread) - bytesBefore;
        double nanos = threads.getCurrentThreadCpuTime() - nanosBefore;
        return Map.of(CostFigure.CPU_TIME, nanos / NANOS_PER_MICRO, CostFigure.ALLOCATED, bytes);
    }
}
