package dev.couchjobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReportTest {
    @Test
    void ratesAreGivenAsMultiplesOfThePeers() {
        Settings settings = Settings.parse("--rows", "commit_1,watch", "--keys", "10");
        Results results = new Results();
        results.add(StoreKind.EMBEDDED, Row.COMMIT_1, 10, 300);
        results.add(StoreKind.ROCKSDB, Row.COMMIT_1, 10, 100);
        results.add(StoreKind.H2, Row.COMMIT_1, 10, 600);
        results.add(StoreKind.RAW, Row.COMMIT_1, 10, 300);
        results.add(StoreKind.EMBEDDED, Row.WATCH, 10, 150);
        assertThat(results.ratios(settings).toString().lines().skip(1))
                .containsExactly(
                        "durable single-key commits, 1 writer               3.00  0.50            1.00",
                        "commit until a watch fires                            -     -            0.50");
        assertThat(results.json(settings))
                .contains("{\"store\": \"H2\", \"row\": \"COMMIT_1\", \"threads\": 1, \"keys\": 10,"
                        + " \"operationsPerSecond\": 600.0}");
    }

    @Test
    void growthIsTheCostWithMoreRowsOverThatWithTheFewest() {
        Settings settings = Settings.parse("--rows", "range", "--growth", "10,1000");
        Results results = new Results();
        results.add(StoreKind.EMBEDDED, Row.RANGE, 10, 300);
        results.add(StoreKind.EMBEDDED, Row.RANGE, 1000, 200);
        assertThat(results.growth(settings).toString().lines().skip(1))
                .containsExactly("ranges of 10 rows, 2 readers        1.00  1.50");
    }

    @Test
    void quickKeepsWhatWasSaidBefore() {
        Settings settings = Settings.parse("--directory", "here", "--quick", "--seconds", "2");
        assertThat(settings.directory()).isEqualTo(Path.of("here"));
        assertThat(settings.seconds()).isEqualTo(2);
        assertThat(settings.footprintKeys()).isEqualTo(10_000);
    }

    @Test
    void anUnknownOptionIsAnsweredWithThoseThereAre() {
        assertThatThrownBy(() -> Settings.parse("--fast"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fast")
                .hasMessageContaining("--quick");
        assertThatThrownBy(() -> Settings.parse("--keys")).isInstanceOf(IllegalArgumentException.class);
    }
}
