package dev.couchjobs.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class LogThrottleTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final LogThrottle causes = new LogThrottle();

    @Test
    void aCauseIsToldOnceAMinute() {
        assertThat(causes.tryAcquire("disk full", BEGIN)).isTrue();
        assertThat(causes.tryAcquire("disk full", BEGIN.plusSeconds(59))).isFalse();
        assertThat(causes.tryAcquire("another", BEGIN.plusSeconds(59))).isTrue();
        assertThat(causes.tryAcquire("disk full", BEGIN.plusSeconds(60))).isTrue();
    }

    @Test
    void aCauseIsToldAgainWhenTheClockHasBeenSetBack() {
        assertThat(causes.tryAcquire("disk full", BEGIN)).isTrue();
        assertThat(causes.tryAcquire("disk full", BEGIN.minusMillis(1))).isFalse();
        assertThat(causes.tryAcquire("disk full", BEGIN.minusSeconds(86_400))).isTrue();
        assertThat(causes.tryAcquire("disk full", BEGIN.minusSeconds(86_390))).isFalse();
    }

    @Test
    void manyCausesAreNotKept() {
        long told = 0;
        for (int i = 0; i < 2_000; i++) {
            told += causes.tryAcquire("cause " + i, BEGIN) ? 1 : 0;
        }
        assertThat(told).isEqualTo(1_000);
        assertThat(causes.tryAcquire("cause 1999", BEGIN.plusSeconds(60))).isTrue();
    }
}
