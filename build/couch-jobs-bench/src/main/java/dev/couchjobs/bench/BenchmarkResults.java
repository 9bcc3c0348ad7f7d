package dev.couchjobs.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.ToDoubleFunction;

/** The results of one run. */
final class BenchmarkResults {
    private record Point(StoreKind store, Operation operation, long keys) {}

    private final Map<Point, Double> rates = new LinkedHashMap<>();
    private final Map<StoreKind, MemoryFootprint> footprints = new LinkedHashMap<>();

    void add(StoreKind store, Operation operation, long keys, double rate) {
        rates.put(new Point(store, operation, keys), rate);
    }

    void add(StoreKind store, MemoryFootprint footprint) {
        footprints.put(store, footprint);
    }

    /** The operations per second; 0 if they were not measured. */
    double rate(StoreKind store, Operation operation, long keys) {
        return rates.getOrDefault(new Point(store, operation, keys), 0.0);
    }

    /** The ratios of the engine's rates to those of the peers, and to the rate of the baseline. */
    Table ratios(Settings settings) {
        Table table = new Table("operation (rate of fdb-embedded / rate of ...)", "RocksDB", "H2", "baseline");
        double baseline = rate(StoreKind.BASELINE, Operation.COMMIT_1, settings.keys());
        for (Operation operation : settings.operations()) {
            double ours = rate(StoreKind.EMBEDDED, operation, settings.keys());
            table.add(
                    operation.title(),
                    Table.ratio(ours, rate(StoreKind.ROCKSDB, operation, settings.keys())),
                    Table.ratio(ours, rate(StoreKind.H2, operation, settings.keys())),
                    Table.ratio(ours, baseline));
        }
        return table;
    }

    /** The ratios of the cost of an operation with more rows to its cost with the fewest. */
    Table growth(Settings settings) {
        List<String> header = new ArrayList<>(List.of("cost by rows stored (fdb-embedded)"));
        settings.growth().forEach(keys -> header.add(Long.toString(keys)));
        Table table = new Table(header.toArray(String[]::new));
        for (Operation operation : settings.operations()) {
            if (operation.dependsOnSize()) {
                List<String> cells = new ArrayList<>(List.of(operation.title()));
                double fewest =
                        rate(StoreKind.EMBEDDED, operation, settings.growth().get(0));
                settings.growth()
                        .forEach(keys -> cells.add(Table.ratio(fewest, rate(StoreKind.EMBEDDED, operation, keys))));
                table.add(cells.toArray(String[]::new));
            }
        }
        return table;
    }

    /** The ratios of the engine's footprint to those of the peers. */
    Table footprint() {
        Table table = new Table("footprint of fdb-embedded / footprint of ...", "RocksDB", "H2");
        addFootprint(table, "time to open", MemoryFootprint::openMillis);
        addFootprint(table, "heap", footprint -> (double) footprint.heapBytes());
        addFootprint(table, "resident memory", footprint -> (double) footprint.residentBytes());
        addFootprint(table, "disk", footprint -> (double) footprint.diskBytes());
        return table;
    }

    private void addFootprint(Table table, String title, ToDoubleFunction<MemoryFootprint> value) {
        double ours = footprint(StoreKind.EMBEDDED, value);
        table.add(
                title,
                Table.ratio(ours, footprint(StoreKind.ROCKSDB, value)),
                Table.ratio(ours, footprint(StoreKind.H2, value)));
    }

    private double footprint(StoreKind store, ToDoubleFunction<MemoryFootprint> value) {
        MemoryFootprint footprint = footprints.get(store);
        return footprint == null ? 0 : value.applyAsDouble(footprint);
    }

    String json(Settings settings) {
        StringJoiner ratesJson = new StringJoiner(",\n    ", "[\n    ", "\n  ]");
        rates.forEach((point, rate) -> ratesJson.add(
                "{\"store\": \"%s\", \"operation\": \"%s\", \"threads\": %d, \"keys\": %d, \"operationsPerSecond\": %s}"
                        .formatted(point.store, point.operation, point.operation.threads(), point.keys, rate)));
        StringJoiner footprintsJson = new StringJoiner(",\n    ", "[\n    ", "\n  ]");
        footprints.forEach((store, footprint) ->
                footprintsJson.add(("{\"store\": \"%s\", \"keys\": %d, \"openMillis\": %s, \"heapBytes\": %d,"
                                + " \"residentBytes\": %d, \"diskBytes\": %d}")
                        .formatted(
                                store,
                                settings.footprintKeys(),
                                footprint.openMillis(),
                                footprint.heapBytes(),
                                footprint.residentBytes(),
                                footprint.diskBytes())));
        StringJoiner storesJson = new StringJoiner(",\n    ", "{\n    ", "\n  }");
        for (StoreKind store : StoreKind.values()) {
            storesJson.add("\"%s\": \"%s: %s\"".formatted(store, store.label(), store.settings()));
        }
        return """
                {
                  "java": "%s",
                  "cpus": %d,
                  "secondsEach": %d,
                  "stores": %s,
                  "rates": %s,
                  "footprints": %s
                }
                """.formatted(
                        Runtime.version(),
                        Runtime.getRuntime().availableProcessors(),
                        settings.seconds(),
                        storesJson,
                        ratesJson,
                        footprintsJson);
    }
}
