package dev.couchjobs.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PauseTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(1);

    @Test
    void aMaximumDoesNotLengthenAPause() {
        assertThat(Pause.none().cappedAt(LONG)).isEqualTo(Pause.none());
        assertThat(Pause.atMost(SHORT).cappedAt(LONG)).isEqualTo(Pause.atMost(SHORT));
        assertThat(Pause.atMost(LONG).cappedAt(LONG)).isEqualTo(Pause.atMost(LONG));
    }

    @Test
    void aMaximumShortensALongerPause() {
        assertThat(Pause.atMost(LONG).cappedAt(SHORT)).isEqualTo(Pause.atMost(SHORT));
        assertThat(Pause.untilWakeUp().cappedAt(SHORT)).isEqualTo(Pause.atMost(SHORT));
    }

    @Test
    void aPauseWithAMaximumKeepsItsSignal() {
        CompletableFuture<Void> signal = new CompletableFuture<>();

        assertThat(Pause.until(signal).cappedAt(LONG).signal()).contains(signal);
        assertThat(Pause.until(signal).cappedAt(LONG).atMost()).contains(LONG);
        assertThat(Pause.until(signal).cappedAt(SHORT).cappedAt(LONG).signal()).contains(signal);
        assertThat(Pause.until(signal).cappedAt(SHORT).cappedAt(LONG).atMost()).contains(SHORT);
    }
}
