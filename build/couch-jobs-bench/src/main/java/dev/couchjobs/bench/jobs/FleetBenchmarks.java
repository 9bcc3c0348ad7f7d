package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.report.Machine;
import dev.couchjobs.bench.report.Measurement;
import dev.couchjobs.bench.report.Report;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Counts the database operations of many processes, and measures how long jobs wait for their start. */
public final class FleetBenchmarks {
    private final FleetSettings settings;
    private final BenchmarkEnvironment environment;
    private final List<Measurement> measurements = new ArrayList<>();

    private FleetBenchmarks(FleetSettings settings, BenchmarkEnvironment environment) {
        this.settings = settings;
        this.environment = environment;
    }

    /**
     * Runs fleets of several sizes, one after the other.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a file cannot be written
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalStateException if a job was lost or run twice
     */
    public static void main(String... words) throws IOException, InterruptedException {
        FleetSettings settings = FleetSettings.parse(words);
        Report report = run(settings);
        System.out.println(report.bySystem());
        System.out.println(
                "Tables, plot and figures are in " + settings.output().toAbsolutePath());
        if (!report.faults().isEmpty()) {
            throw new IllegalStateException(String.join("\n", report.faults()));
        }
        System.out.println("Every job was run once.");
    }

    /** Measures according to the settings, and writes the results. */
    static Report run(FleetSettings settings) throws IOException, InterruptedException {
        try (BenchmarkEnvironment environment =
                BenchmarkEnvironment.start(settings.directory(), settings.directory(), settings.systems())) {
            Report report = new FleetBenchmarks(settings, environment).measure();
            report.write(settings.output());
            return report;
        }
    }

    private Report measure() throws IOException, InterruptedException {
        Map<String, String> described = new LinkedHashMap<>();
        for (SystemKind system : settings.systems()) {
            String obstacle = environment.obstacle(system);
            if (!obstacle.isEmpty()) {
                System.err.println(system.label() + " is left out: " + obstacle);
                continue;
            }
            described.put(system.label(), system.engine(environment));
            var unused = measure(system, 2, settings.smoke()); // warms up the JVM
            for (int processes : settings.processes()) {
                measurements.addAll(measure(system, processes, settings));
            }
        }
        return new Report(
                Machine.describe(settings.directory()), describe(), described, FleetPhase.charts(), measurements);
    }

    private Map<String, String> describe() {
        Map<String, String> descriptions = new LinkedHashMap<>();
        descriptions.put(
                "Processes",
                "a worker of one slot each, all in this JVM; " + settings.types() + " types, jobs take "
                        + BenchmarkFleet.JOB_MILLIS + " ms");
        descriptions.put(
                "Lengths",
                settings.jobs() + " jobs one at a time; " + settings.seconds() + " s for figures per second");
        descriptions.put("Library", Machine.library(Database.class));
        return descriptions;
    }

    private List<Measurement> measure(SystemKind system, int processes, FleetSettings lengths)
            throws InterruptedException {
        Load load = new Load(processes, settings.types(), Load.PAYLOAD_BYTES);
        CouchJobsSystem ours = system.openCouchJobs(environment, load);
        Map<FleetPhase, Sample> samples = new LinkedHashMap<>();
        try (SystemUnderTest systemUnderTest = new SystemUnderTest(ours, load, CpuMeter.NONE)) {
            try (BenchmarkFleet fleet = new BenchmarkFleet(ours, systemUnderTest.tally(), processes)) {
                new FleetRun(systemUnderTest, fleet, lengths, (phase, sample) -> {
                            samples.put(phase, sample);
                            System.err.println("%s, %d processes, %s"
                                    .formatted(system.label(), processes, describe(phase, sample)));
                        })
                        .measure();
            }
            long lost = systemUnderTest.lost();
            long doubled = systemUnderTest.tally().doubled();
            return samples.entrySet().stream()
                    .flatMap(phase -> phase.getKey().metrics().stream()
                            .map(metric -> Measurement.of(
                                    phase.getKey().chart(metric).name(),
                                    system.label(),
                                    processes,
                                    List.of(figure(phase.getValue(), metric)),
                                    phase.getValue().jobs(),
                                    lost,
                                    doubled)))
                    .toList();
        }
    }

    private static String describe(FleetPhase phase, Sample sample) {
        return phase.metrics().stream()
                .map(metric -> String.format(Locale.ROOT, "%s %.2f", metric.word, figure(sample, metric)))
                .collect(Collectors.joining(", ", phase + ": ", ""));
    }

    private static double figure(Sample sample, Metric metric) {
        return Objects.requireNonNull(sample.figures().get(metric));
    }
}
