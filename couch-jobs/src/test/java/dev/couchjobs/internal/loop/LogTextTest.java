package dev.couchjobs.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text from outside cannot forge a line of the log. */
class LogTextTest {
    @Test
    void furtherLinesAreIndentedAndControlCharactersEscaped() {
        assertThat(LogText.of("bad\n2026-11-29 INFO all is well\r\u001b[31m\u0000\u0085\u2028\tend é"))
                .isEqualTo("bad\n\t2026-11-29 INFO all is well\\u000D\\u001B[31m\\u0000\\u0085\\u2028\tend é");
    }

    @Test
    void theTextOfAnErrorIsShownSo() {
        assertThat(RootCauses.text(new IllegalStateException("a\nb")))
                .isEqualTo("java.lang.IllegalStateException: a\n\tb");
    }
}
