package dev.couchjobs.fdb.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** For tests that wait for a state that no event announces, such as that of another process. */
public final class Polling {
    /** Short for a test, and long enough for the processors to do something else. */
    private static final Duration INTERVAL = Duration.ofMillis(20);

    private Polling() {}

    /**
     * Pauses before the next look. The time limit of the test bounds the wait.
     *
     * @throws IllegalStateException if the time limit has interrupted the thread
     */
    public static void pause() {
        LockSupport.parkNanos(INTERVAL.toNanos());
        if (Thread.interrupted()) {
            throw new IllegalStateException("interrupted while it waited");
        }
    }
}
