package dev.couchjobs.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.ToDoubleFunction;

/** All that was measured in one run. */
final class BenchmarkResults {
    private record Place(StoreKind store, BenchmarkRow row, long keys) {}

    private final Map<Place, Double> rates = new LinkedHashMap<>();
    private final Map<StoreKind, MemoryFootprint> footprints = new LinkedHashMap<>();

    void add(StoreKind store, BenchmarkRow row, long keys, double rate) {
        rates.put(new Place(store, row, keys), rate);
    }

    void add(StoreKind store, MemoryFootprint footprint) {
        footprints.put(store, footprint);
    }

    /** Operations a second; 0 if it was not measured. */
    double rate(StoreKind store, BenchmarkRow row, long keys) {
        return rates.getOrDefault(new Place(store, row, keys), 0.0);
    }

    /** How many times a peer's rate the engine's is; in the last column, the rate of one writer's synced appends. */
    Table ratios(Settings settings) {
        Table table = new Table("operation (rate of fdb-embedded / rate of ...)", "RocksDB", "H2", "synced appends");
        double appends = rate(StoreKind.RAW, BenchmarkRow.COMMIT_1, settings.keys());
        for (BenchmarkRow row : settings.rows()) {
            double ours = rate(StoreKind.EMBEDDED, row, settings.keys());
            table.add(
                    row.title(),
                    Table.ratio(ours, rate(StoreKind.ROCKSDB, row, settings.keys())),
                    Table.ratio(ours, rate(StoreKind.H2, row, settings.keys())),
                    Table.ratio(ours, appends));
        }
        return table;
    }

    /** How many times the cost with the fewest rows an operation costs with more. */
    Table growth(Settings settings) {
        List<String> header = new ArrayList<>(List.of("cost by rows stored (fdb-embedded)"));
        settings.growth().forEach(keys -> header.add(Long.toString(keys)));
        Table table = new Table(header.toArray(String[]::new));
        for (BenchmarkRow row : settings.rows()) {
            if (row.dependsOnSize()) {
                List<String> cells = new ArrayList<>(List.of(row.title()));
                double fewest = rate(StoreKind.EMBEDDED, row, settings.growth().get(0));
                settings.growth().forEach(keys -> cells.add(Table.ratio(fewest, rate(StoreKind.EMBEDDED, row, keys))));
                table.add(cells.toArray(String[]::new));
            }
        }
        return table;
    }

    /** How many times what a peer needs the engine needs. */
    Table footprint() {
        Table table = new Table("need of fdb-embedded / need of ...", "RocksDB", "H2");
        addNeed(table, "time to open", MemoryFootprint::openMillis);
        addNeed(table, "heap", footprint -> (double) footprint.heapBytes());
        addNeed(table, "resident memory", footprint -> (double) footprint.residentBytes());
        addNeed(table, "disk", footprint -> (double) footprint.diskBytes());
        return table;
    }

    private void addNeed(Table table, String title, ToDoubleFunction<MemoryFootprint> need) {
        double ours = need(StoreKind.EMBEDDED, need);
        table.add(title, Table.ratio(ours, need(StoreKind.ROCKSDB, need)), Table.ratio(ours, need(StoreKind.H2, need)));
    }

    private double need(StoreKind store, ToDoubleFunction<MemoryFootprint> need) {
        MemoryFootprint footprint = footprints.get(store);
        return footprint == null ? 0 : need.applyAsDouble(footprint);
    }

    String json(Settings settings) {
        StringJoiner measured = new StringJoiner(",\n    ", "[\n    ", "\n  ]");
        rates.forEach((place, rate) -> measured.add(
                "{\"store\": \"%s\", \"row\": \"%s\", \"threads\": %d, \"keys\": %d, \"operationsPerSecond\": %s}"
                        .formatted(place.store, place.row, place.row.threads(), place.keys, rate)));
        StringJoiner needed = new StringJoiner(",\n    ", "[\n    ", "\n  ]");
        footprints.forEach((store, footprint) ->
                needed.add(("{\"store\": \"%s\", \"keys\": %d, \"openMillis\": %s, \"heapBytes\": %d,"
                                + " \"residentBytes\": %d, \"diskBytes\": %d}")
                        .formatted(
                                store,
                                settings.footprintKeys(),
                                footprint.openMillis(),
                                footprint.heapBytes(),
                                footprint.residentBytes(),
                                footprint.diskBytes())));
        StringJoiner stores = new StringJoiner(",\n    ", "{\n    ", "\n  }");
        for (StoreKind store : StoreKind.values()) {
            stores.add("\"%s\": \"%s: %s\"".formatted(store, store.label(), store.settings()));
        }
        return """
                {
                  "java": "%s",
                  "processors": %d,
                  "secondsEach": %d,
                  "stores": %s,
                  "rates": %s,
                  "footprints": %s
                }
                """.formatted(
                        Runtime.version(),
                        Runtime.getRuntime().availableProcessors(),
                        settings.seconds(),
                        stores,
                        measured,
                        needed);
    }
}
