package dev.couchjobs.bench;

import dev.couchjobs.bench.report.Chart;
import dev.couchjobs.bench.report.Measurement;
import dev.couchjobs.bench.report.Report;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The results of the engine as charts: commits by the number of writers, and operations whose cost may depend on the
 * number of stored rows by that number.
 */
final class EngineCharts {
    private static final Chart COMMITS =
            new Chart("commits", "Durable single-key commits", "writers", "commits a second", true);
    private static final List<Operation> COMMIT_OPERATIONS =
            List.of(Operation.COMMIT_1, Operation.COMMIT_16, Operation.COMMIT_64);

    private final BenchmarkResults results;
    private final Settings settings;
    private final List<Measurement> measurements = new ArrayList<>();

    private EngineCharts(BenchmarkResults results, Settings settings) {
        this.results = results;
        this.settings = settings;
    }

    static Report of(BenchmarkResults results, Settings settings, Map<String, String> machine) {
        return new EngineCharts(results, settings).report(machine);
    }

    private Report report(Map<String, String> machine) {
        List<Chart> charts = new ArrayList<>(List.of(COMMITS));
        COMMIT_OPERATIONS.forEach(operation -> add(COMMITS, operation, operation.threads(), settings.keys()));
        TreeSet<Long> sizes = new TreeSet<>(settings.growth());
        sizes.add(settings.keys());
        for (Operation operation : settings.operations()) {
            if (operation.dependsOnSize()) {
                Chart chart =
                        new Chart(operation.name(), operation.title(), "rows stored", "operations a second", true);
                charts.add(chart);
                sizes.forEach(keys -> add(chart, operation, keys, keys));
            }
        }
        Map<String, String> stores = new LinkedHashMap<>();
        for (StoreKind store : StoreKind.values()) {
            stores.put(store.label(), store.settings());
        }
        Map<String, String> how = Map.of("Seconds", settings.seconds() + " s each, " + settings.keys() + " rows");
        return new Report(machine, how, stores, charts, measurements);
    }

    private void add(Chart chart, Operation operation, long x, long keys) {
        for (StoreKind store : StoreKind.values()) {
            double rate = results.rate(store, operation, keys);
            if (rate > 0) {
                measurements.add(
                        Measurement.of(chart.name(), store.label(), Math.toIntExact(x), List.of(rate), 0, 0, 0));
            }
        }
    }
}
