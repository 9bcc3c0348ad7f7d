package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How many jobs a second handlers that do nothing get through while no job is added: from the start of the first to the
 * durable end of all that were begun by then. What is begun after that is not counted, though it takes its part of the
 * machine. A backlog that is drained too soon is filled up again while the clock stands still, unless what has been
 * drained was a lot to keep: our own jobs and some peers' stay when they are over.
 *
 * @param load how many instances work, on jobs of how many types and bytes
 * @param pending how many jobs there are to begin with
 */
record Draining(Load load, int pending) implements Experiment {
    private static final int MANY = 10_000;
    private static final int MOST_BYTES = 100_000_000;
    private static final int REFILLS = 20;

    /** With jobs enough to go on for a while. */
    static Draining many(Load load) {
        return new Draining(load, Math.min(MANY, MOST_BYTES / load.payloadBytes()));
    }

    private record Round(int jobs, long nanos, Duration processorTime, int jobsOfProcessorTime) {}

    @Override
    public Sample measure(SystemUnderTest system, Duration window) throws InterruptedException {
        int jobs = 0;
        long nanos = 0;
        Duration processorTime = Duration.ZERO;
        int jobsOfProcessorTime = 0;
        for (int refill = 0; refill < REFILLS && nanos < window.toNanos() * 3 / 4; refill++) {
            if ((long) jobs * load.payloadBytes() >= MOST_BYTES) {
                break;
            }
            system.fill(pending);
            Round round = drain(system, window.toNanos() - nanos);
            jobs += round.jobs;
            nanos += round.nanos;
            processorTime = processorTime.plus(round.processorTime);
            jobsOfProcessorTime += round.jobsOfProcessorTime;
        }
        double seconds = nanos / (double) TimeUnit.SECONDS.toNanos(1);
        return new Sample(
                jobs,
                Map.of(
                        Metric.RATE,
                        jobs / seconds,
                        Metric.PROCESSOR,
                        Gauges.microsPerJob(processorTime, jobsOfProcessorTime)));
    }

    private Round drain(SystemUnderTest system, long nanos) throws InterruptedException {
        JobTally tally = system.tally();
        int before = tally.beginRound();
        int present = system.pending();
        List<JobSystem.Instance> instances = new ArrayList<>();
        try {
            for (int instance = 0; instance < load.instances(); instance++) {
                instances.add(system.system().join());
            }
            Duration usedBefore = system.gauges().processorTime();
            instances.forEach(instance -> instance.work(tally::run));
            system.awaitFirst(before);
            var unused = tally.await(before + present, nanos - (System.nanoTime() - tally.firstAt()));
            int jobs = tally.begun() - before;
            system.awaitEnd(tally.last(JobTally.RECENT));
            long took = System.nanoTime() - tally.firstAt();
            Duration used = system.gauges().processorTime().minus(usedBefore);
            return new Round(jobs, took, used, tally.begun() - before);
        } finally {
            instances.forEach(JobSystem.Instance::close);
        }
    }
}
