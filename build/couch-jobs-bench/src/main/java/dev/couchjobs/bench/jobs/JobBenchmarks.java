package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.report.Machine;
import dev.couchjobs.bench.report.Measurement;
import dev.couchjobs.bench.report.Report;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.rocksdb.RocksDB;

/** Measures couch-jobs on the available engines, and its peers, in the same run. */
public final class JobBenchmarks {
    private static final int WARM_UP_WINDOWS = 2;

    private final JobSettings settings;
    private final BenchmarkEnvironment environment;
    private final List<SystemKind> systems;
    private final List<Measurement> measurements = new ArrayList<>();
    private final long began = System.nanoTime();

    private JobBenchmarks(JobSettings settings, BenchmarkEnvironment environment) {
        this.settings = settings;
        this.environment = environment;
        systems = settings.systems().stream()
                .filter(system -> environment.obstacle(system).isEmpty())
                .toList();
    }

    /**
     * Runs the benchmarks.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a file cannot be written or PostgreSQL does not start
     * @throws InterruptedException if its thread is interrupted
     * @throws IllegalStateException if a job was lost or run twice
     */
    public static void main(String... words) throws IOException, InterruptedException {
        JobSettings settings = JobSettings.parse(words);
        Report report = run(settings);
        System.out.println(report);
        settings.compared().ifPresent(path -> System.out.println(report.comparedWith(Report.read(path))));
        System.out.println(
                "Tables, plot and figures are in " + settings.output().toAbsolutePath());
        if (!report.faults().isEmpty()) {
            throw new IllegalStateException(String.join("\n", report.faults()));
        }
        System.out.println("Every job was run once.");
    }

    /** Measures according to the settings, and writes the results. */
    static Report run(JobSettings settings) throws IOException, InterruptedException {
        try (BenchmarkEnvironment environment =
                BenchmarkEnvironment.start(settings.directory(), settings.postgres(), settings.systems())) {
            Report report = new JobBenchmarks(settings, environment).measure();
            report.write(settings.output());
            return report;
        }
    }

    private Report measure() throws IOException, InterruptedException {
        settings.systems().stream()
                .filter(system -> !systems.contains(system))
                .forEach(system -> log(system.label() + " is left out: " + environment.obstacle(system)));
        warmUp();
        for (BenchmarkScenario scenario : settings.scenarios()) {
            for (int point : settings.points(scenario)) {
                measure(scenario, point);
            }
        }
        Map<String, String> described = new LinkedHashMap<>();
        systems.forEach(system -> described.put(system.label(), system.settings(environment)));
        return new Report(
                Machine.describe(settings.directory()),
                describe(),
                described,
                BenchmarkScenario.charts(settings.scenarios()),
                measurements);
    }

    private Map<String, String> describe() {
        Map<String, String> descriptions = new LinkedHashMap<>();
        descriptions.put(
                "Rounds",
                "medians of %d of %s s each, systems in turns"
                        .formatted(settings.rounds(), settings.window().toMillis() / 1_000.0));
        descriptions.put("Payload", Load.PAYLOAD_BYTES + " bytes unless the payload varies; handlers do nothing");
        descriptions.put("Libraries", Machine.library(Database.class) + ", " + Machine.library(RocksDB.class));
        descriptions.put("PostgreSQL", environment.describePostgres());
        return descriptions;
    }

    /** Runs all systems once, so that the JVM has compiled their code before the first point. */
    private void warmUp() throws InterruptedException {
        Duration length = settings.window().multipliedBy(WARM_UP_WINDOWS);
        for (SystemKind system : systems) {
            try (SystemUnderTest systemUnderTest = system.open(environment, Load.of(1))) {
                new AddThroughput(1).measure(systemUnderTest, settings.window());
                DrainThroughput.ofLargeBacklog(Load.of(1)).measure(systemUnderTest, length);
            }
        }
    }

    /** Alternates between the systems in each round, so that changes of the machine affect all of them. */
    private void measure(BenchmarkScenario scenario, int point) throws InterruptedException {
        Experiment experiment = scenario.experiment(point);
        Map<SystemKind, SystemUnderTest> systemUnderTests = new LinkedHashMap<>();
        Map<SystemKind, List<Sample>> samples = new LinkedHashMap<>();
        try {
            systems.forEach(system -> systemUnderTests.put(system, system.open(environment, experiment.load())));
            for (int round = 0; round < settings.rounds(); round++) {
                for (SystemKind system : systems) {
                    Sample sample =
                            experiment.measure(Objects.requireNonNull(systemUnderTests.get(system)), settings.window());
                    samples.computeIfAbsent(system, key -> new ArrayList<>()).add(sample);
                    log("%s %,d, round %d, %s: %s"
                            .formatted(scenario.word(), point, round + 1, system.label(), sample.describe()));
                }
            }
            systemUnderTests.forEach((system, systemUnderTest) ->
                    record(scenario, point, system, samples.getOrDefault(system, List.of()), systemUnderTest));
        } finally {
            systemUnderTests.values().forEach(SystemUnderTest::close);
        }
    }

    private void record(
            BenchmarkScenario scenario,
            int point,
            SystemKind system,
            List<Sample> samples,
            SystemUnderTest systemUnderTest) {
        long jobs = samples.stream().mapToLong(Sample::jobs).sum();
        long lost = systemUnderTest.lost();
        long doubled = systemUnderTest.tally().doubled();
        for (Metric metric : scenario.metrics()) {
            List<Double> rounds = samples.stream()
                    .filter(sample -> sample.figures().containsKey(metric))
                    .map(sample -> Objects.requireNonNull(sample.figures().get(metric)))
                    .toList();
            if (!(metric == Metric.CPU_TIME && system == SystemKind.CLUSTER)) {
                measurements.add(Measurement.of(
                        scenario.chart(metric).name(), system.label(), point, rounds, jobs, lost, doubled));
            }
        }
    }

    private void log(String line) {
        System.err.printf(Locale.ROOT, "%5d s  %s%n", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began), line);
    }
}
