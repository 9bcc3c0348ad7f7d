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
    /** Between jobs that come while processes wait. */
    private static final Duration APART = Duration.ofMillis(100);
    /** Long enough for a process that has ended its job to be idle again. */
    private static final Duration SETTLED = Duration.ofMillis(250);

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
        rest(settings.settling());
        pass(FleetPhase.IDLE);
        restart();
        for (int job = 0; job < WARM_UP; job++) {
            addOne();
        }
        sparse();
        dense();
        pass(FleetPhase.USED);
        fleet.stop();
        waiting();
    }

    private void pass(FleetPhase phase) throws InterruptedException {
        fleet.forget();
        rest(settings.window());
        results.accept(phase, new Sample(0, Probe.ofAll(fleet.probes(), processSeconds())));
    }

    private double processSeconds() {
        return fleet.count() * (settings.window().toNanos() / (double) TimeUnit.SECONDS.toNanos(1));
    }

    private void restart() throws InterruptedException {
        fleet.forget();
        fleet.stop();
        int before = system.tally().begun();
        fleet.add(fleet.count());
        fleet.latencies().again();
        fleet.start();
        awaitEnd(before, fleet.count());
        rest(settings.settling());
        record(FleetPhase.RESTART, fleet.count(), Probe.ofAll(fleet.probes(), fleet.count()), fleet.latencies());
    }

    private void sparse() throws InterruptedException {
        fleet.forget();
        for (int job = 0; job < settings.jobs(); job++) {
            addOne();
        }
        recordJobs(FleetPhase.SPARSE, settings.jobs());
    }

    private void addOne() throws InterruptedException {
        int before = system.tally().begun();
        fleet.add(1);
        awaitEnd(before, 1);
        rest(SETTLED);
    }

    private void dense() throws InterruptedException {
        fleet.forget();
        int before = system.tally().begun();
        int jobs = fleet.count() * JOBS_OF_EACH;
        fleet.addForEach(JOBS_OF_EACH);
        awaitEnd(before, jobs);
        rest(SETTLED);
        recordJobs(FleetPhase.DENSE, jobs);
    }

    /** One process more runs all jobs, those of the waiting processes until these have been measured. */
    private void waiting() throws InterruptedException {
        int count = fleet.count();
        int first = system.tally().next(count);
        CompletableFuture<Void> end = new CompletableFuture<>();
        LatencyRecorder latencies = new LatencyRecorder();
        List<CouchJobsSystem.Member> waiters = new ArrayList<>();
        try (CouchJobsSystem.Member runner = fleet.joinAnother()) {
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
            rest(settings.settling());
            fleet.forget();
            others(runner);
            Map<Metric, Double> asked = Probe.ofAll(fleet.probes(), processSeconds());
            latencies.begin(first, count);
            end.complete(null);
            results.forEach(CompletableFuture::join);
            record(FleetPhase.WAITING, count, asked, latencies);
        }
        fleet.inAll(process -> waiters.get(process).close());
    }

    /** Jobs whose results no process waits for come, one by one, for as long as is measured. */
    private void others(CouchJobsSystem.Member client) throws InterruptedException {
        long end = System.nanoTime() + settings.window().toNanos();
        while (System.nanoTime() < end) {
            client.add(system.tally().next(1));
            rest(APART);
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

    private void record(FleetPhase phase, int jobs, Map<Metric, Double> asked, LatencyRecorder latencies) {
        Map<Metric, Double> figures = new HashMap<>(asked);
        figures.putAll(latencies.percentiles());
        results.accept(phase, new Sample(jobs, figures));
    }

    private static void rest(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
