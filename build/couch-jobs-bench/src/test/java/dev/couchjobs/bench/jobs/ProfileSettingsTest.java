package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileSettingsTest {
    @Test
    void theCommandLineChoosesWhatIsProfiled() {
        ProfileSettings settings = ProfileSettings.parse(
                "--engine",
                "directory",
                "--phase",
                "drain",
                "--workers",
                "4",
                "--seconds",
                "0.5",
                "--output",
                "there",
                "--directory",
                "here");
        assertThat(settings)
                .isEqualTo(new ProfileSettings(
                        EngineKind.DIRECTORY, ProfileSettings.Phase.DRAIN, 4, 0.5, Path.of("here"), Path.of("there")));
        assertThat(settings.length()).isEqualTo(Duration.ofMillis(500));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--engine cluster", "--phase claim", "--workers 0", "--seconds 0", "--help"})
    void anErrorNamesTheWrongValueAndListsAllOptions(String wrong) {
        assertThatThrownBy(() -> ProfileSettings.parse(wrong.split(" ", -1)))
                .hasMessageStartingWith("Do not understand " + wrong + "; there are\n")
                .hasMessageContaining("--phase");
    }
}
