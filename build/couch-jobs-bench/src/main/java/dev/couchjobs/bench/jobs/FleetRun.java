package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Measures a fleet of one size in all phases, one after the other. */
final class FleetRun {
    private static final int JOBS_OF_EACH = 10;
    private static final int WARM_UP = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** The interval of the other jobs while processes wait. */
    private static final Duration INTERVAL = Duration.ofMillis(100);
    /** The time after which a process that has ended its job is idle again. */
    private static final Duration SETTLING = Duration.ofMillis(250);

    private final SystemUnderTest system;
    private final BenchmarkFleet fleet;
    private final FleetSettings settings;
    private final BiConsumer<FleetPhase, Sample> results;

    FleetRun(
            SystemUnderTest system,
            BenchmarkFleet fleet,
            FleetSettings settings,
            BiConsumer<FleetPhase, Sample> results) {
        this.system = system;
        this.fleet = fleet;
        this.settings = settings;
        this.results = results;
    }

    void measure() throws InterruptedException {
        fleet.start();
        pause(settings.settling());
        measureIdle(FleetPhase.IDLE);
        restart();
        for (int job = 0; job < WARM_UP; job++) {
            addOne();
        }
        sparse();
        dense();
        measureIdle(FleetPhase.USED);
        fleet.stop();
        waiting();
    }

    private void measureIdle(FleetPhase phase) throws InterruptedException {
        fleet.reset();
        pause(settings.window());
        results.accept(phase, new Sample(0, Probe.ofAll(fleet.probes(), processSeconds())));
    }

    private double processSeconds() {
        return fleet.count() * (settings.window().toNanos() / (double) TimeUnit.SECONDS.toNanos(1));
    }

    private void restart() throws InterruptedException {
        fleet.reset();
        fleet.stop();
        int before = system.tally().begun();
        fleet.add(fleet.count());
        fleet.latencies().restart();
        fleet.start();
        awaitEnd(before, fleet.count());
        pause(settings.settling());
        record(FleetPhase.RESTART, fleet.count(), Probe.ofAll(fleet.probes(), fleet.count()), fleet.latencies());
    }

    private void sparse() throws InterruptedException {
        fleet.reset();
        for (int job = 0; job < settings.jobs(); job++) {
            addOne();
        }
        recordJobs(FleetPhase.SPARSE, settings.jobs());
    }

    private void addOne() throws InterruptedException {
        int before = system.tally().begun();
        fleet.add(1);
        awaitEnd(before, 1);
        pause(SETTLING);
    }

    private void dense() throws InterruptedException {
        fleet.reset();
        int before = system.tally().begun();
        int jobs = fleet.count() * JOBS_OF_EACH;
        fleet.addForEach(JOBS_OF_EACH);
        awaitEnd(before, jobs);
        pause(SETTLING);
        recordJobs(FleetPhase.DENSE, jobs);
    }

    /** An additional process runs all jobs; those of the waiting processes end after the measurement. */
    private void waiting() throws InterruptedException {
        int count = fleet.count();
        int first = system.tally().next(count);
        CompletableFuture<Void> end = new CompletableFuture<>();
        LatencyRecorder latencies = new LatencyRecorder();
        List<CouchJobsSystem.Member> waiters = new ArrayList<>();
        try (CouchJobsSystem.Member runner = fleet.joinUnmeasured()) {
            runner.work(count + JOBS_OF_EACH, number -> {
                system.tally().run(number);
                return number < first + count ? end : CompletableFuture.completedFuture(null);
            });
            int before = system.tally().begun();
            runner.addAll(first, count);
            awaitBegun(before + count);
            List<CompletableFuture<Void>> results = new ArrayList<>();
            for (int process = 0; process < count; process++) {
                int number = first + process;
                waiters.add(fleet.join(process));
                results.add(waiters.get(process)
                        .result(number, PATIENCE.plus(settings.window()))
                        .thenRun(() -> latencies.end(number)));
            }
            pause(settings.settling());
            fleet.reset();
            addOtherJobs(runner);
            Map<Metric, Double> counts = Probe.ofAll(fleet.probes(), processSeconds());
            latencies.begin(first, count);
            end.complete(null);
            results.forEach(CompletableFuture::join);
            record(FleetPhase.WAITING, count, counts, latencies);
        }
        fleet.inAll(process -> waiters.get(process).close());
    }

    /** Adds jobs for whose results no process waits, one at a time, until the window ends. */
    private void addOtherJobs(CouchJobsSystem.Member client) throws InterruptedException {
        long end = System.nanoTime() + settings.window().toNanos();
        while (System.nanoTime() < end) {
            client.add(system.tally().next(1));
            pause(INTERVAL);
        }
    }

    private void awaitBegun(int begun) throws InterruptedException {
        if (!system.tally().await(begun, PATIENCE.toNanos())) {
            throw new IllegalStateException("Jobs that were added have not begun");
        }
    }

    private void awaitEnd(int begunBefore, int jobs) throws InterruptedException {
        awaitBegun(begunBefore + jobs);
        system.awaitEnd(system.tally().last(jobs));
    }

    private void recordJobs(FleetPhase phase, int jobs) {
        record(phase, jobs, Probe.withoutUpkeep(fleet.probes(), jobs), fleet.latencies());
    }

    private void record(FleetPhase phase, int jobs, Map<Metric, Double> counts, LatencyRecorder latencies) {
        Map<Metric, Double> figures = new HashMap<>(counts);
        figures.putAll(latencies.percentiles());
        results.accept(phase, new Sample(jobs, figures));
    }

    private static void pause(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
