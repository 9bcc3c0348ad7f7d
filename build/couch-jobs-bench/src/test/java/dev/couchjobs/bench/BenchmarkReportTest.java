package dev.couchjobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkReportTest {
    @Test
    void ratesAreGivenAsRatiosToThePeers() {
        Settings settings = Settings.parse("--operations", "commit_1,watch", "--keys", "10");
        BenchmarkResults results = new BenchmarkResults();
        results.add(StoreKind.EMBEDDED, Operation.COMMIT_1, 10, 300);
        results.add(StoreKind.ROCKSDB, Operation.COMMIT_1, 10, 100);
        results.add(StoreKind.H2, Operation.COMMIT_1, 10, 600);
        results.add(StoreKind.BASELINE, Operation.COMMIT_1, 10, 300);
        results.add(StoreKind.EMBEDDED, Operation.WATCH, 10, 150);
        assertThat(results.ratios(settings).toString().lines().skip(1))
                .containsExactly(
                        "durable single-key commits, 1 writer               3.00  0.50      1.00",
                        "commit until a watch fires                            -     -      0.50");
        assertThat(results.json(settings))
                .contains("{\"store\": \"H2\", \"operation\": \"COMMIT_1\", \"threads\": 1, \"keys\": 10,"
                        + " \"operationsPerSecond\": 600.0}");
    }

    @Test
    void growthIsTheCostWithMoreRowsOverThatWithTheFewest() {
        Settings settings = Settings.parse("--operations", "range", "--growth", "10,1000");
        BenchmarkResults results = new BenchmarkResults();
        results.add(StoreKind.EMBEDDED, Operation.RANGE, 10, 300);
        results.add(StoreKind.EMBEDDED, Operation.RANGE, 1000, 200);
        assertThat(results.growth(settings).toString().lines().skip(1))
                .containsExactly("ranges of 10 rows, 2 readers        1.00  1.50");
    }

    @Test
    void commitsByWritersAndOperationsBySizeAreCharts(@TempDir Path directory) throws IOException {
        Settings settings =
                Settings.parse("--operations", "commit_1,commit_16,range", "--growth", "10,1000", "--keys", "10");
        BenchmarkResults results = new BenchmarkResults();
        results.add(StoreKind.EMBEDDED, Operation.COMMIT_1, 10, 300);
        results.add(StoreKind.EMBEDDED, Operation.COMMIT_16, 10, 3_000);
        results.add(StoreKind.H2, Operation.COMMIT_16, 10, 400);
        results.add(StoreKind.EMBEDDED, Operation.RANGE, 10, 20_000);
        results.add(StoreKind.EMBEDDED, Operation.RANGE, 1000, 10_000);
        Path svg = directory.resolve("engine.svg");
        EngineCharts.of(results, settings, Map.of("Java", "17")).plot(svg);
        assertThat(Files.readString(svg))
                .contains(
                        "Durable single-key commits",
                        "fdb-embedded at 16: 3,000",
                        StoreKind.H2.label() + " at 16: 400",
                        "ranges of 10 rows, 2 readers",
                        "fdb-embedded at 1k: 10,000");
    }

    @Test
    void smokeKeepsTheOptionsBeforeIt() {
        Settings settings = Settings.parse("--directory", "here", "--smoke", "--seconds", "2");
        assertThat(settings.directory()).isEqualTo(Path.of("here"));
        assertThat(settings.seconds()).isEqualTo(2);
        assertThat(settings.footprintKeys()).isEqualTo(10_000);
    }

    @Test
    void anErrorForAnUnknownOptionListsAllOptions() {
        assertThatThrownBy(() -> Settings.parse("--fast"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fast")
                .hasMessageContaining("--smoke");
        assertThatThrownBy(() -> Settings.parse("--keys")).isInstanceOf(IllegalArgumentException.class);
    }
}
