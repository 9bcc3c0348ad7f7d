package dev.couchjobs.internal.limits;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The position in the limited queue of one key from which this process admits jobs while other processes admit jobs of
 * the key as well.
 *
 * <p>Without competition a process admits from the head. After a conflict it skips jobs, and goes on behind those that
 * it has admitted: all processes then advance in parallel. Each returns to the head every second, for the jobs that
 * others have skipped.
 */
final class LimitedQueueCursor {
    private static final Duration HEAD_INTERVAL = Duration.ofSeconds(1);

    /** The job behind which the next transaction begins; empty at the head. */
    @GuardedBy("this") private Optional<LimitedJob> position = Optional.empty();

    @GuardedBy("this") private Instant lastReturn = Instant.EPOCH;

    /** {@return the job behind which a transaction begins; empty for the head} */
    synchronized Optional<LimitedJob> begin(Instant now) {
        if (Duration.between(lastReturn, now).abs().compareTo(HEAD_INTERVAL) >= 0) {
            lastReturn = now;
            position = Optional.empty();
        }
        return position;
    }

    synchronized void moveBehind(LimitedJob job) {
        position = Optional.of(job);
    }

    synchronized void returnToHead() {
        position = Optional.empty();
    }
}
