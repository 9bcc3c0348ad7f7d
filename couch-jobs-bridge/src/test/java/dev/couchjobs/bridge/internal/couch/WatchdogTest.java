package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final ManualTime time = new ManualTime();
    private final AtomicInteger barks = new AtomicInteger();
    private final Watchdog watchdog = new Watchdog(time, HEARTBEAT, barks::incrementAndGet);

    @BeforeEach
    void start() {
        watchdog.start();
    }

    private void halfHeartbeats(int count) {
        for (int i = 0; i < count; i++) {
            time.tick();
        }
    }

    @Test
    void afterMoreThanTwoAndAHalfSilentHeartbeatsItBarksOnce() {
        halfHeartbeats(5);
        assertThat(barks).hasValue(0);
        halfHeartbeats(10);
        assertThat(barks).hasValue(1);
    }

    @Test
    void whateverIsHeardStartsTheSilenceAnew() {
        halfHeartbeats(5);
        watchdog.listen();
        halfHeartbeats(5);
        assertThat(barks).hasValue(0);
    }

    @Test
    void whileNobodyReadsSilenceMeansNothing() {
        watchdog.pause();
        halfHeartbeats(100);
        watchdog.listen();
        halfHeartbeats(5);
        assertThat(barks).hasValue(0);
        halfHeartbeats(1);
        assertThat(barks).hasValue(1);
    }

    @Test
    void onceStoppedItIsQuiet() {
        watchdog.stop();
        halfHeartbeats(100);
        assertThat(barks).hasValue(0);
    }
}
