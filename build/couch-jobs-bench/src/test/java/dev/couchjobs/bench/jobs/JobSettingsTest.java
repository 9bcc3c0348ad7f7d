package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class JobSettingsTest {
    @Test
    void theCommandLineSetsScenariosSystemsAndPoints() {
        JobSettings settings = JobSettings.parse(
                "--smoke", "--only", "workers,latency", "--systems", "durable,skip-locked", "--workers", "1,64");
        assertThat(settings.scenarios()).containsExactly(BenchmarkScenario.WORKERS, BenchmarkScenario.LATENCY);
        assertThat(settings.systems()).containsExactly(SystemKind.DURABLE, SystemKind.SKIP_LOCKED);
        assertThat(settings.points(BenchmarkScenario.WORKERS)).containsExactly(1, 64);
        assertThat(settings.points(BenchmarkScenario.LATENCY)).isEqualTo(BenchmarkScenario.LATENCY.smokePoints());
        assertThat(settings.rounds()).isEqualTo(1);
    }

    @Test
    void theCommandLineSetsLengthsAndDirectories() {
        JobSettings settings = JobSettings.parse(
                "--seconds", "0.5", "--rounds", "5", "--directory", "here", "--output", "there", "--compare", "then");
        assertThat(settings.window()).isEqualTo(Duration.ofMillis(500));
        assertThat(settings.rounds()).isEqualTo(5);
        assertThat(settings.directory()).isEqualTo(Path.of("here"));
        assertThat(settings.output()).isEqualTo(Path.of("there"));
        assertThat(settings.compared()).contains(Path.of("then"));
    }

    @Test
    void anErrorForAnUnknownOptionListsAllOptions() {
        assertThatThrownBy(() -> JobSettings.parse("--fast", "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fast")
                .hasMessageContaining("--smoke")
                .hasMessageContaining("--backlog");
        assertThatThrownBy(() -> JobSettings.parse("--help"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand --help; there are\n");
        assertThatThrownBy(() -> JobSettings.parse("x", "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand x; there are\n");
    }

    @Test
    void anErrorNamesTheWrongValueAndListsAllOptions() {
        assertThatThrownBy(() -> JobSettings.parse("--smoke", "--systems", "memory", "--rounds", "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand --systems memory; there are\n")
                .hasMessageContaining("in_memory durable");
        assertThatThrownBy(() -> JobSettings.parse("--workers", "1,few"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand --workers 1,few; there are\n");
    }

    @Test
    void anErrorNamesAnOptionWithoutValue() {
        assertThatThrownBy(() -> JobSettings.parse("--smoke", "--systems"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--systems needs a value; there are\n")
                .hasMessageContaining("in_memory durable");
    }
}
