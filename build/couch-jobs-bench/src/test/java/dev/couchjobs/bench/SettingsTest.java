package dev.couchjobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void theCommandLineSetsOperationsAndDuration() {
        Settings settings = Settings.parse("--operations", "add,append", "--smoke", "--keys", "7");
        assertThat(settings.operations()).containsExactly(Operation.ADD, Operation.APPEND);
        assertThat(settings.seconds()).isEqualTo(1);
        assertThat(settings.keys()).isEqualTo(7);
    }

    @Test
    void anErrorNamesTheWrongOptionAndListsAllOptions() {
        assertThatThrownBy(() -> Settings.parse("--fast", "1"))
                .hasMessageStartingWith("Do not understand --fast; there");
        assertThatThrownBy(() -> Settings.parse("--operations", "insert"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand --operations insert; there are\n")
                .hasMessageContaining("COMMIT_1 ");
        assertThatThrownBy(() -> Settings.parse("--smoke", "--operations"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--operations needs a value; there are\n");
    }
}
