package dev.couchjobs.fdb.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** A process's own idea of the time of day. */
final class WallClock implements InstantSource {
    private final VirtualScheduler time;
    private Duration ahead = Duration.ZERO;
    private @Nullable Instant stoppedAt;

    WallClock(VirtualScheduler time) {
        this.time = time;
    }

    @Override
    public Instant instant() {
        return stoppedAt == null ? time.instant().plus(ahead) : stoppedAt;
    }

    /** Puts it forward, or with a negative duration back. */
    void jump(Duration by) {
        ahead = ahead.plus(by);
    }

    void synchronize() {
        ahead = Duration.ZERO;
    }

    void stop() {
        stoppedAt = instant();
    }
}
