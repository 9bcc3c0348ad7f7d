package dev.couchjobs.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SoakSettingsTest {
    @Test
    void aSoakTakesSixHoursUnlessToldOtherwise() {
        assertThat(SoakSettings.parse().minutes()).isEqualTo(360);
        assertThat(SoakSettings.parse("--minutes", "5").seconds).isEqualTo(300);
    }

    @Test
    void theCommandLineChoosesTheProcesses() {
        SoakSettings settings = SoakSettings.parse(
                "--workers", "7", "--fdbserver", "there/fdbserver", "--rate", "20", "--seed", "-3", "--every", "0.5");
        assertThat(settings.workers).isEqualTo(7);
        assertThat(settings.fdbserver).contains(Path.of("there", "fdbserver"));
        assertThat(settings.rate).isEqualTo(20);
        assertThat(settings.seed).isEqualTo(-3);
        assertThat(settings.every).isEqualTo(0.5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--minutes 0", "--workers none", "--rate 0", "--seed x", "--help"})
    void anErrorNamesTheWrongValueAndListsAllOptions(String wrong) {
        assertThatThrownBy(() -> SoakSettings.parse(wrong.split(" ", -1)))
                .hasMessageStartingWith("Do not understand " + wrong + "; there are\n")
                .hasMessageContaining("--fdbserver");
    }
}
