package dev.couchjobs.bench;

import dev.couchjobs.bench.report.Machine;
import dev.couchjobs.bench.report.ResultFile;
import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.runner.RunnerException;

/** Measures the engine and its peers on this machine's disk, and prints the ratios. */
public final class Benchmarks {
    private final Settings settings;
    private final BenchmarkResults results = new BenchmarkResults();

    private Benchmarks(Settings settings) {
        this.settings = settings;
    }

    /**
     * Runs the benchmarks.
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
                "%s, %d CPUs, %s, %d s each, %d rows%n",
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
        Path output = settings.output().toAbsolutePath();
        Path json = output.resolve("engine.json");
        ResultFile.write(json, results.json(settings));
        Path plot = output.resolve("engine.svg");
        EngineCharts.of(results, settings, Machine.describe(settings.directory()))
                .plot(plot);
        System.out.println("All figures are in " + json + ", charts in " + plot);
    }

    /** Measures the baseline with any set of operations, because each of them is compared with it. */
    private void measureRates() throws RunnerException {
        measure(StoreKind.BASELINE, Operation.COMMIT_1, settings.keys());
        for (Operation operation : settings.operations()) {
            for (StoreKind store : StoreKind.values()) {
                if (store != StoreKind.BASELINE && store.supports(operation)) {
                    measure(store, operation, settings.keys());
                }
            }
        }
    }

    private void measureGrowth() throws RunnerException {
        for (Operation operation : settings.operations()) {
            if (operation.dependsOnSize()) {
                for (long keys : settings.growth()) {
                    measure(StoreKind.EMBEDDED, operation, keys);
                }
            }
        }
    }

    private void measure(StoreKind store, Operation operation, long keys) throws RunnerException {
        if (results.rate(store, operation, keys) == 0) {
            results.add(store, operation, keys, new Throughput(settings).measure(store, operation, keys));
        }
    }

    private void measureFootprint() throws IOException, InterruptedException {
        for (StoreKind store : StoreKind.values()) {
            if (store != StoreKind.BASELINE) {
                results.add(store, MemoryFootprint.measure(store, settings.footprintKeys(), settings.directory()));
            }
        }
    }
}
