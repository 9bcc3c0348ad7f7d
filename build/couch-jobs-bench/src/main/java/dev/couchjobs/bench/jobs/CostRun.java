package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import dev.couchjobs.Worker;
import dev.couchjobs.bench.DirectoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Measures the costs of jobs on each engine in rounds of equal work. Allocations are the medians of the rounds after a
 * warm-up, CPU time is their minimum, since other processes can only add to it. The operations are counted in a run of
 * their own, since counting allocates.
 *
 * @param lengths the lengths of the run
 * @param directory the directory of the databases
 */
record CostRun(Lengths lengths, Path directory) {
    /** The virtual time after each step. */
    private static final Duration PAUSE = Duration.ofMillis(200);

    /**
     * The lengths of a run.
     *
     * @param warmUp the number of rounds that are not measured; in 9 rounds pass the five virtual seconds after which
     *     the engine flushes and forgets old versions
     * @param rounds the number of measured rounds
     * @param single the jobs in each round that are added one by one
     * @param batched the jobs in each round that are added in hundreds
     */
    record Lengths(int warmUp, int rounds, int single, int batched) {
        /** Enough for allocations. */
        static final Lengths SHORT = new Lengths(12, 9, 50, 2_000);
        /** Enough for CPU time, too. */
        static final Lengths LONG = new Lengths(40, 20, 50, 2_000);
    }

    List<StepCosts> measure() throws IOException {
        List<StepCosts> costs = new ArrayList<>();
        for (EngineKind engine : EngineKind.values()) {
            costs.addAll(measure(engine));
        }
        return costs;
    }

    private List<StepCosts> measure(EngineKind engine) throws IOException {
        CostTotals measured = new CostTotals();
        try (OpenJobs open = OpenJobs.on(engine, directory, UnaryOperator.identity())) {
            ThreadCostMeter meter = new ThreadCostMeter();
            for (int round = 0; round < lengths.warmUp; round++) {
                round(open.jobs, meter, new CostTotals());
            }
            for (int round = 0; round < lengths.rounds; round++) {
                round(open.jobs, meter, measured);
            }
        }
        TrafficCostMeter meter = new TrafficCostMeter(engine == EngineKind.DIRECTORY);
        try (OpenJobs open = OpenJobs.on(engine, directory, meter::on)) {
            round(open.jobs, meter, measured);
        }
        return Arrays.stream(CostStep.values())
                .map(step -> new StepCosts(engine, step, measured.perJob(step)))
                .toList();
    }

    private void round(VirtualJobs jobs, CostMeter meter, CostTotals costs) {
        meter.begin();
        jobs.addOneByOne(lengths.single);
        costs.add(CostStep.ADDING_ONE_BY_ONE, lengths.single, meter.end());
        jobs.pause(PAUSE);
        meter.begin();
        jobs.addInHundreds(lengths.batched);
        costs.add(CostStep.ADDING_IN_HUNDREDS, lengths.batched, meter.end());
        jobs.pause(PAUSE);
        Worker worker = jobs.startWorker();
        meter.begin();
        jobs.runAll();
        costs.add(CostStep.RUNNING, lengths.single + lengths.batched, meter.end());
        jobs.stop(worker);
        jobs.pause(PAUSE);
    }

    /** Jobs with a database in a directory of its own, if it needs one. */
    private record OpenJobs(VirtualJobs jobs, Path parent) implements AutoCloseable {
        static OpenJobs on(EngineKind engine, Path directory, UnaryOperator<Database> way) throws IOException {
            Path parent = Files.createTempDirectory(directory, "bench-costs-");
            Path database = parent.resolve("database");
            return new OpenJobs(new VirtualJobs(environment -> engine.open(environment, database), way), parent);
        }

        @Override
        public void close() throws IOException {
            jobs.close();
            DirectoryFiles.delete(parent);
        }
    }

    /** The costs per job of each round. */
    private static final class CostTotals {
        private final Map<CostStep, Map<CostFigure, List<Double>>> rounds = new EnumMap<>(CostStep.class);

        void add(CostStep step, int jobs, Map<CostFigure, Double> total) {
            total.forEach((figure, value) -> rounds.computeIfAbsent(step, key -> new EnumMap<>(CostFigure.class))
                    .computeIfAbsent(figure, key -> new ArrayList<>())
                    .add(value / jobs));
        }

        Map<CostFigure, Double> perJob(CostStep step) {
            Map<CostFigure, Double> costs = new EnumMap<>(CostFigure.class);
            rounds.getOrDefault(step, Map.of()).forEach((figure, values) -> {
                List<Double> sorted = values.stream().sorted().toList();
                costs.put(figure, sorted.get(figure == CostFigure.CPU_TIME ? 0 : sorted.size() / 2));
            });
            return costs;
        }
    }
}
