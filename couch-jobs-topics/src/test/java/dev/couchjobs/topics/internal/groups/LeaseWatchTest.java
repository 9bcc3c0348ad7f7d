package dev.couchjobs.topics.internal.groups;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LeaseWatchTest {
    private static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
    private static final byte[] HEARTBEAT = {1};

    private final LeaseWatch leases = new LeaseWatch(Duration.ofSeconds(10));

    private boolean isDead(byte[] heartbeat, long seconds, Instant now) {
        return leases.isDead("member", heartbeat, seconds * 1_000_000, now);
    }

    @Test
    void aMemberIsDeadAfterALeaseWithoutAHeartbeat() {
        assertThat(isDead(HEARTBEAT, 0, NOON)).isFalse();
        assertThat(isDead(HEARTBEAT, 10, NOON.plusSeconds(10))).isFalse();
        assertThat(isDead(HEARTBEAT, 11, NOON.plusSeconds(11))).isTrue();
        assertThat(isDead(new byte[] {2}, 11, NOON.plusSeconds(11))).isFalse();
    }

    @Test
    void clockAndVersionsBothHaveToSaySo() {
        assertThat(isDead(HEARTBEAT, 0, NOON)).isFalse();
        assertThat(isDead(HEARTBEAT, 1, NOON.plus(Duration.ofDays(1)))).isFalse();
        assertThat(isDead(HEARTBEAT, 1_000, NOON.plusSeconds(9))).isFalse();
    }

    @Test
    void aClockThatIsSetBackBeginsTheLeaseAgain() {
        Instant before = NOON.minus(Duration.ofDays(30));
        assertThat(isDead(HEARTBEAT, 0, NOON)).isFalse();
        assertThat(isDead(HEARTBEAT, 5, before)).isFalse();
        assertThat(isDead(HEARTBEAT, 15, before.plusSeconds(10))).isFalse();
        assertThat(isDead(HEARTBEAT, 16, before.plusSeconds(11))).isTrue();
    }
}
