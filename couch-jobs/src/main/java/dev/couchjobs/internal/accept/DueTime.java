package dev.couchjobs.internal.accept;

import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A signal at a time by a wall clock. The clock may be set meanwhile, so it is read again and again. */
final class DueTime {
    private static final Duration CLOCK_READ_AFTER = Duration.ofSeconds(30);

    private final Environment environment;
    private final InstantSource clock;
    private final Instant time;
    private final CompletableFuture<Void> reached = new CompletableFuture<>();
    private volatile @Nullable Future<?> timer;

    private DueTime(Environment environment, InstantSource clock, Instant time) {
        this.environment = environment;
        this.clock = clock;
        this.time = time;
    }

    /** {@return completes when a clock has reached a time; cancelling it ends its timer} */
    static CompletableFuture<Void> reached(Environment environment, InstantSource clock, Instant time) {
        DueTime due = new DueTime(environment, clock, time);
        due.readClock();
        var unused = due.reached.whenComplete((done, error) -> due.cancelTimer());
        return due.reached;
    }

    private void readClock() {
        Duration remaining = Duration.between(clock.instant(), time);
        if (remaining.isNegative() || remaining.isZero()) {
            reached.complete(null);
            return;
        }
        Duration pause = remaining.compareTo(CLOCK_READ_AFTER) < 0 ? remaining : CLOCK_READ_AFTER;
        timer = environment.scheduler().schedule(this::readClock, TimerDelays.nanos(pause), TimeUnit.NANOSECONDS);
        if (reached.isDone()) {
            cancelTimer();
        }
    }

    private void cancelTimer() {
        Future<?> last = timer;
        if (last != null) {
            last.cancel(false);
        }
    }
}
