package dev.couchjobs.bench;

import dev.couchjobs.bench.report.Curve;
import dev.couchjobs.bench.report.Measurement;
import dev.couchjobs.bench.report.Report;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What was measured of the engine as curves: commits by how many write, and what depends on how much is stored by that.
 */
final class EngineCurves {
    private static final Curve COMMITS =
            new Curve("commits", "Durable single-key commits", "writers", "commits a second", true);
    private static final List<BenchmarkRow> COMMIT_ROWS =
            List.of(BenchmarkRow.COMMIT_1, BenchmarkRow.COMMIT_16, BenchmarkRow.COMMIT_64);

    private final BenchmarkResults results;
    private final Settings settings;
    private final List<Measurement> measurements = new ArrayList<>();

    private EngineCurves(BenchmarkResults results, Settings settings) {
        this.results = results;
        this.settings = settings;
    }

    static Report of(BenchmarkResults results, Settings settings, Map<String, String> machine) {
        return new EngineCurves(results, settings).report(machine);
    }

    private Report report(Map<String, String> machine) {
        List<Curve> curves = new ArrayList<>(List.of(COMMITS));
        COMMIT_ROWS.forEach(row -> add(COMMITS, row, row.threads(), settings.keys()));
        TreeSet<Long> sizes = new TreeSet<>(settings.growth());
        sizes.add(settings.keys());
        for (BenchmarkRow row : settings.rows()) {
            if (row.dependsOnSize()) {
                Curve curve = new Curve(row.name(), row.title(), "rows stored", "operations a second", true);
                curves.add(curve);
                sizes.forEach(keys -> add(curve, row, keys, keys));
            }
        }
        Map<String, String> stores = new LinkedHashMap<>();
        for (StoreKind store : StoreKind.values()) {
            stores.put(store.label(), store.settings());
        }
        Map<String, String> how = Map.of("Seconds", settings.seconds() + " s each, " + settings.keys() + " rows");
        return new Report(machine, how, stores, curves, measurements);
    }

    private void add(Curve curve, BenchmarkRow row, long x, long keys) {
        for (StoreKind store : StoreKind.values()) {
            double rate = results.rate(store, row, keys);
            if (rate > 0) {
                measurements.add(
                        Measurement.of(curve.name(), store.label(), Math.toIntExact(x), List.of(rate), 0, 0, 0));
            }
        }
    }
}
