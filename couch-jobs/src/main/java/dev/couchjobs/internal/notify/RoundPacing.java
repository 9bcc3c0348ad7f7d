package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Environment;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides the pauses between the rounds of a notifier, and when a round reads all its jobs.
 *
 * <p>Not thread-safe.
 */
final class RoundPacing {
    /** The number of rounds that follow each other without a gap. */
    private static final int ROUNDS_AT_ONCE = 8;

    private static final Duration ROWS_GAP = Duration.ofMillis(10);
    private static final Duration ROWS_QUIET = Duration.ofMillis(100);
    private static final Duration FEED_GAP_MIN = Duration.ofMillis(10);
    private static final Duration FEED_GAP_MAX = Duration.ofSeconds(1);
    private static final Duration REFRESH_MIN = Duration.ofSeconds(2);
    private static final Duration REFRESH_MIN_FOR_ENDS = Duration.ofSeconds(30);
    private static final Duration REFRESH_MAX = Duration.ofMinutes(1);

    private final Environment environment;

    private Duration feedGap = FEED_GAP_MIN;
    /** The number of rounds since the last one that began after a quiet time. */
    private int roundsInRow;

    private Instant lastRoundAt = Instant.EPOCH;
    private Duration refreshAfter = REFRESH_MIN;
    private @Nullable Instant refreshAt;
    private @Nullable Versionstamp lastChange;

    RoundPacing(Environment environment) {
        this.environment = environment;
    }

    /** {@return whether it is time to read all jobs, including those without a sign of change} */
    boolean isTimeToRefresh() {
        Instant now = environment.clock().instant();
        return refreshAt == null
                || !now.isBefore(refreshAt)
                || refreshAt.isAfter(now.plus(REFRESH_MAX)); // the clock was set back
    }

    /**
     * Schedules the next read of all jobs after one has been done. It is later if the type is quiet.
     *
     * @param newLastChange the last change of the type, if it has any
     * @param allChanges whether a subscriber wants all changes, and not only the ends of jobs
     */
    void refreshed(@Nullable Versionstamp newLastChange, boolean allChanges) {
        boolean wasQuiet = Objects.equals(newLastChange, lastChange);
        lastChange = newLastChange;
        Duration min = allChanges ? REFRESH_MIN : REFRESH_MIN_FOR_ENDS;
        Duration next = wasQuiet ? refreshAfter.multipliedBy(2) : min;
        refreshAfter = clamped(next, min, REFRESH_MAX);
        refreshAt = environment.clock().instant().plus(refreshAfter);
    }

    /**
     * {@return the pause after a round by rows}
     *
     * @param rowChange completes when a row changes
     */
    Pause afterRows(CompletableFuture<Void> rowChange) {
        Instant now = environment.clock().instant();
        roundsInRow = Duration.between(lastRoundAt, now).abs().compareTo(ROWS_QUIET) < 0 ? roundsInRow + 1 : 0;
        lastRoundAt = now;
        return Pause.until(roundsInRow < ROUNDS_AT_ONCE ? rowChange : notBefore(ROWS_GAP, rowChange))
                .cappedAt(jittered(refreshAfter));
    }

    /**
     * {@return the pause after a round by feed}
     *
     * @param hadChanges whether the round has delivered a change
     * @param feedChange completes when the feed grows
     */
    Pause afterFeed(boolean hadChanges, CompletableFuture<Void> feedChange) {
        Duration gap = hadChanges ? feedGap.dividedBy(2) : feedGap.multipliedBy(2);
        feedGap = clamped(gap, FEED_GAP_MIN, FEED_GAP_MAX);
        return Pause.until(notBefore(jittered(feedGap), feedChange));
    }

    private static Duration clamped(Duration duration, Duration min, Duration max) {
        return duration.compareTo(max) > 0 ? max : duration.compareTo(min) < 0 ? min : duration;
    }

    /**
     * A future that completes with a signal, but not before a delay has passed. So changes in quick succession are read
     * together.
     */
    private CompletableFuture<Void> notBefore(Duration delay, CompletableFuture<Void> signal) {
        CompletableFuture<Void> delayed = new CompletableFuture<>();
        Future<?> unused =
                environment.scheduler().schedule(() -> delayed.complete(null), delay.toNanos(), TimeUnit.NANOSECONDS);
        CompletableFuture<Void> delayedSignal = delayed.thenCompose(done -> signal);
        unused = delayedSignal.whenComplete((done, error) -> {
            if (delayedSignal.isCancelled()) {
                signal.cancel(false);
            }
        });
        return delayedSignal;
    }

    private Duration jittered(Duration duration) {
        return duration.plusNanos(environment.random().nextLong(duration.toNanos() / 10 + 1));
    }
}
