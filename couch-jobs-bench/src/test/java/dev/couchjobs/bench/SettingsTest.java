package dev.couchjobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void theCommandLineChoosesWhatIsMeasuredAndHowLong() {
        Settings settings = Settings.parse("--rows", "add,append", "--quick", "--keys", "7");
        assertThat(settings.rows()).containsExactly(BenchmarkRow.ADD, BenchmarkRow.APPEND);
        assertThat(settings.seconds()).isEqualTo(1);
        assertThat(settings.keys()).isEqualTo(7);
    }

    @Test
    void whatIsWrongIsNamedAndAnsweredWithWhatIsPossible() {
        assertThatThrownBy(() -> Settings.parse("--fast", "1"))
                .hasMessageStartingWith("Do not understand --fast; there");
        assertThatThrownBy(() -> Settings.parse("--rows", "insert"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand --rows insert; there are\n")
                .hasMessageContaining("COMMIT_1 ");
        assertThatThrownBy(() -> Settings.parse("--quick", "--rows"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--rows needs a value; there are\n");
    }
}
