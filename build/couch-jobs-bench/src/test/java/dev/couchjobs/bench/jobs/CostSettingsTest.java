package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CostSettingsTest {
    @Test
    void theCommandLineChoosesTheTaskAndTheFiles() {
        CostSettings settings = CostSettings.parse("--check", "--file", "accepted.json", "--directory", "here");
        assertThat(settings)
                .isEqualTo(new CostSettings(CostSettings.Task.CHECK, Path.of("accepted.json"), Path.of("here")));
        assertThat(CostSettings.parse("--accept").task()).isEqualTo(CostSettings.Task.ACCEPT);
        assertThat(CostSettings.parse().task()).isEqualTo(CostSettings.Task.PRINT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "check"})
    void anErrorListsAllOptions(String wrong) {
        assertThatThrownBy(() -> CostSettings.parse(wrong))
                .hasMessageStartingWith("Do not understand " + wrong + "; there are\n")
                .hasMessageContaining("--accept");
    }
}
