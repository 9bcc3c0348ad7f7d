package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures the jobs per second that empty handlers run while no job is added: the jobs that have begun when the window
 * ends, over the time from the first start to the durable end of all of them. Jobs that begin after the window are not
 * counted. A backlog that is drained before the window ends is filled again, which is not measured. Refills end once
 * the drained jobs hold many bytes, because couch-jobs and some peers keep finished jobs.
 *
 * @param load the number of instances, and the types and payloads of the jobs
 * @param pending the number of jobs at the beginning of a round
 */
record DrainThroughput(Load load, int pending) implements Experiment {
    private static final int LARGE_BACKLOG = 10_000;
    private static final int MAX_BYTES = 100_000_000;
    private static final int REFILLS = 20;

    /** With a backlog that is large, but has at most {@code MAX_BYTES} of payloads. */
    static DrainThroughput ofLargeBacklog(Load load) {
        return new DrainThroughput(load, Math.min(LARGE_BACKLOG, MAX_BYTES / load.payloadBytes()));
    }

    private record Round(int jobs, long nanos, Duration cpuTime, int cpuTimeJobs) {}

    @Override
    public Sample measure(SystemUnderTest system, Duration window) throws InterruptedException {
        int jobs = 0;
        long nanos = 0;
        Duration cpuTime = Duration.ZERO;
        int cpuTimeJobs = 0;
        for (int refill = 0; refill < REFILLS && nanos < window.toNanos() * 3 / 4; refill++) {
            if ((long) jobs * load.payloadBytes() >= MAX_BYTES) {
                break;
            }
            system.fill(pending);
            Round round = drain(system, window.toNanos() - nanos);
            jobs += round.jobs;
            nanos += round.nanos;
            cpuTime = cpuTime.plus(round.cpuTime);
            cpuTimeJobs += round.cpuTimeJobs;
        }
        double seconds = nanos / (double) TimeUnit.SECONDS.toNanos(1);
        return new Sample(
                jobs,
                Map.of(Metric.RATE, jobs / seconds, Metric.CPU_TIME, CpuMeter.microsPerJob(cpuTime, cpuTimeJobs)));
    }

    private Round drain(SystemUnderTest system, long nanos) throws InterruptedException {
        JobTally tally = system.tally();
        int begunBefore = tally.beginRound();
        int pendingBefore = system.pending();
        List<JobSystem.Instance> instances = new ArrayList<>();
        try {
            for (int instance = 0; instance < load.instances(); instance++) {
                instances.add(system.system().join());
            }
            Duration cpuTimeBefore = system.cpuMeter().cpuTime();
            instances.forEach(instance -> instance.work(tally::run));
            system.awaitFirst(begunBefore);
            var unused = tally.await(begunBefore + pendingBefore, nanos - (System.nanoTime() - tally.firstAt()));
            int jobs = tally.begun() - begunBefore;
            system.awaitEnd(tally.last(JobTally.RECENT));
            long elapsed = System.nanoTime() - tally.firstAt();
            Duration cpuTimeUsed = system.cpuMeter().cpuTime().minus(cpuTimeBefore);
            return new Round(jobs, elapsed, cpuTimeUsed, tally.begun() - begunBefore);
        } finally {
            instances.forEach(JobSystem.Instance::close);
        }
    }
}
