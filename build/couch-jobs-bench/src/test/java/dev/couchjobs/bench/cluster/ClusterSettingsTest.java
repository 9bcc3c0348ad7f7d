package dev.couchjobs.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSettingsTest {
    @Test
    void theCommandLineChoosesTheClusterAndThePoints() {
        ClusterSettings settings = ClusterSettings.parse(
                "--fdbserver",
                "there",
                "--engine",
                "memory",
                "--storages",
                "3",
                "--workers",
                "2,8",
                "--types",
                "5",
                "--paces",
                "slot",
                "--seconds",
                "0.5",
                "--warm-up",
                "2",
                "--fill",
                "7",
                "--knobs",
                "min_shard_bytes=200000");
        assertThat(settings.programs()).isEqualTo(Path.of("there"));
        assertThat(settings.engine()).isEqualTo("memory");
        assertThat(settings.seconds()).isEqualTo(0.5);
        assertThat(settings.warmUp()).isEqualTo(2);
        assertThat(settings.fill()).isEqualTo(7);
        assertThat(settings.knobs()).containsExactly("min_shard_bytes=200000");
        assertThat(settings.points(3))
                .containsExactly(
                        new ClusterSettings.Point(3, 2, 5, ClusterSettings.Pace.SLOT),
                        new ClusterSettings.Point(3, 8, 5, ClusterSettings.Pace.SLOT));
        assertThat(settings.filling(3)).isEqualTo(new ClusterSettings.Point(3, 8, 5, ClusterSettings.Pace.BATCHED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--storages 0", "--workers few", "--paces slow", "--seconds 0"})
    void anErrorNamesTheWrongValueAndListsAllOptions(String wrong) {
        assertThatThrownBy(() -> ClusterSettings.parse(wrong.split(" ", -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand " + wrong + "; there are\n")
                .hasMessageContaining("--fdbserver");
    }
}
