package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures the jobs per second that the producers of one instance add durably, while no worker runs.
 *
 * @param perTransaction the number of jobs in each transaction
 */
record AddThroughput(int perTransaction) implements Experiment {
    static final int PRODUCERS = 16;

    @Override
    public Load load() {
        return Load.of(1);
    }

    @Override
    public Sample measure(SystemUnderTest system, Duration window) throws InterruptedException {
        LongAdder added = new LongAdder();
        try (JobSystem.Instance instance = system.system().join()) {
            Duration before = system.cpuMeter().cpuTime();
            long begin = System.nanoTime();
            SystemUnderTest.inThreads(PRODUCERS, () -> {
                do {
                    add(instance, system.tally().next(perTransaction));
                    added.add(perTransaction);
                } while (System.nanoTime() - begin < window.toNanos());
            });
            double seconds = (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
            Duration used = system.cpuMeter().cpuTime().minus(before);
            long jobs = added.sum();
            return new Sample(
                    jobs, Map.of(Metric.RATE, jobs / seconds, Metric.CPU_TIME, CpuMeter.microsPerJob(used, jobs)));
        }
    }

    private void add(JobSystem.Instance instance, int first) {
        if (perTransaction == 1) {
            instance.add(first);
        } else {
            instance.addAll(first, perTransaction);
        }
    }
}
