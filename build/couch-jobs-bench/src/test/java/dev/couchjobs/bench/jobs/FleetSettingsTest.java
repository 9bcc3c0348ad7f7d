package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FleetSettingsTest {
    @Test
    void theCommandLineChoosesTheFleets() {
        FleetSettings settings = FleetSettings.parse(
                "--systems",
                "durable",
                "--processes",
                "3,30",
                "--types",
                "4",
                "--jobs",
                "5",
                "--seconds",
                "0.5",
                "--output",
                "there");
        assertThat(settings.systems()).containsExactly(SystemKind.DURABLE);
        assertThat(settings.processes()).containsExactly(3, 30);
        assertThat(settings.types()).isEqualTo(4);
        assertThat(settings.jobs()).isEqualTo(5);
        assertThat(settings.window()).isEqualTo(Duration.ofMillis(500));
        assertThat(settings.output()).isEqualTo(Path.of("there"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--systems jobrunr", "--processes 1,0", "--types few", "--seconds 0"})
    void anErrorNamesTheWrongValueAndListsAllOptions(String wrong) {
        assertThatThrownBy(() -> FleetSettings.parse(wrong.split(" ", -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand " + wrong + "; there are\n")
                .hasMessageContaining("--processes");
    }
}
