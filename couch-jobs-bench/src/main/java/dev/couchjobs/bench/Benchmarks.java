package dev.couchjobs.bench;

import dev.couchjobs.bench.report.Machine;
import dev.couchjobs.bench.report.ResultFile;
import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.runner.RunnerException;

/** Measures the engine beside its peers on this machine's disk, and prints how many times the one is the other. */
public final class Benchmarks {
    private final Settings settings;
    private final BenchmarkResults results = new BenchmarkResults();

    private Benchmarks(Settings settings) {
        this.settings = settings;
    }

    /**
     * Runs them.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a file cannot be written
     * @throws RunnerException if JMH gives up
     * @throws InterruptedException if its thread is interrupted
     */
    public static void main(String... words) throws IOException, RunnerException, InterruptedException {
        new Benchmarks(Settings.parse(words)).run();
    }

    private void run() throws IOException, RunnerException, InterruptedException {
        System.out.printf(
                "%s, %d processors, %s, %d s each, %d rows%n",
                System.getProperty("os.name"),
                Runtime.getRuntime().availableProcessors(),
                "Java " + Runtime.version(),
                settings.seconds(),
                settings.keys());
        for (StoreKind store : StoreKind.values()) {
            System.out.printf("  %s: %s%n", store.label(), store.settings());
        }
        measureRates();
        System.out.println("\n" + results.ratios(settings));
        measureGrowth();
        System.out.println(results.growth(settings));
        if (settings.footprintKeys() > 0) {
            measureFootprint();
            System.out.printf("With %d rows:%n%s%n", settings.footprintKeys(), results.footprint());
        }
        Path json = settings.json().toAbsolutePath();
        ResultFile.write(json, results.json(settings));
        Path plot = json.resolveSibling("engine.svg");
        EngineCurves.of(results, settings, Machine.describe(settings.directory()))
                .plot(plot);
        System.out.println("All figures are in " + json + ", curves in " + plot);
    }

    /** The yardstick is measured whatever the rows are: each of them is held against it. */
    private void measureRates() throws RunnerException {
        measure(StoreKind.RAW, BenchmarkRow.COMMIT_1, settings.keys());
        for (BenchmarkRow row : settings.rows()) {
            for (StoreKind store : StoreKind.values()) {
                if (store != StoreKind.RAW && store.does(row)) {
                    measure(store, row, settings.keys());
                }
            }
        }
    }

    private void measureGrowth() throws RunnerException {
        for (BenchmarkRow row : settings.rows()) {
            if (row.dependsOnSize()) {
                for (long keys : settings.growth()) {
                    measure(StoreKind.EMBEDDED, row, keys);
                }
            }
        }
    }

    private void measure(StoreKind store, BenchmarkRow row, long keys) throws RunnerException {
        if (results.rate(store, row, keys) == 0) {
            results.add(store, row, keys, new Throughput(settings).of(store, row, keys));
        }
    }

    private void measureFootprint() throws IOException, InterruptedException {
        for (StoreKind store : StoreKind.values()) {
            if (store != StoreKind.RAW) {
                results.add(store, MemoryFootprint.of(store, settings.footprintKeys(), settings.directory()));
            }
        }
    }
}
