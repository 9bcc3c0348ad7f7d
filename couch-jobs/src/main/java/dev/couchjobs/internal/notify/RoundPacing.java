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
 * How soon the rounds of a notifier follow each other, and when it looks at all its jobs again.
 *
 * <p>Not thread-safe.
 */
final class RoundPacing {
    /** So many rounds follow each other at once before there is a gap between them. */
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
    /** How many rounds have followed each other without a quiet time between them. */
    private int roundsInRow;

    private Instant lastRoundAt = Instant.EPOCH;
    private Duration refreshAfter = REFRESH_MIN;
    private @Nullable Instant refreshAt;
    private @Nullable Versionstamp lastChange;

    RoundPacing(Environment environment) {
        this.environment = environment;
    }

    /** {@return whether it is time to look at all jobs again, be there a sign of change or not} */
    boolean isTimeToRefresh() {
        Instant now = environment.clock().instant();
        return refreshAt == null
                || !now.isBefore(refreshAt)
                || refreshAt.isAfter(now.plus(REFRESH_MAX)); // the clock was set back
    }

    /**
     * All jobs have been looked at: decides when to do that again, later if the type is quiet.
     *
     * @param last the last change of the type, if it has any
     * @param allChanges whether subscribers want more than the ends of jobs
     */
    void refreshed(@Nullable Versionstamp last, boolean allChanges) {
        boolean wasQuiet = Objects.equals(last, lastChange);
        lastChange = last;
        Duration least = allChanges ? REFRESH_MIN : REFRESH_MIN_FOR_ENDS;
        Duration next = wasQuiet ? refreshAfter.multipliedBy(2) : least;
        refreshAfter = clamped(next, least, REFRESH_MAX);
        refreshAt = environment.clock().instant().plus(refreshAfter);
    }

    /**
     * {@return the pause after a round by rows}
     *
     * @param fired completes when a row changes
     */
    Pause afterRows(CompletableFuture<Void> fired) {
        Instant now = environment.clock().instant();
        roundsInRow = Duration.between(lastRoundAt, now).abs().compareTo(ROWS_QUIET) < 0 ? roundsInRow + 1 : 0;
        lastRoundAt = now;
        return Pause.until(roundsInRow < ROUNDS_AT_ONCE ? fired : after(ROWS_GAP, fired))
                .butAtMost(jittered(refreshAfter));
    }

    /**
     * {@return the pause after a round by feed}
     *
     * @param wasNews whether there was anything for a subscriber in it
     * @param changed completes when the feed grows
     */
    Pause afterFeed(boolean wasNews, CompletableFuture<Void> changed) {
        Duration gap = wasNews ? feedGap.dividedBy(2) : feedGap.multipliedBy(2);
        feedGap = clamped(gap, FEED_GAP_MIN, FEED_GAP_MAX);
        return Pause.until(after(jittered(feedGap), changed));
    }

    private static Duration clamped(Duration duration, Duration least, Duration most) {
        return duration.compareTo(most) > 0 ? most : duration.compareTo(least) < 0 ? least : duration;
    }

    /**
     * Completes with a signal, but not before some time has passed, so that changes close together are read together.
     */
    private CompletableFuture<Void> after(Duration least, CompletableFuture<Void> signal) {
        CompletableFuture<Void> rested = new CompletableFuture<>();
        Future<?> unused =
                environment.scheduler().schedule(() -> rested.complete(null), least.toNanos(), TimeUnit.NANOSECONDS);
        CompletableFuture<Void> both = rested.thenCompose(done -> signal);
        unused = both.whenComplete((done, error) -> {
            if (both.isCancelled()) {
                signal.cancel(false);
            }
        });
        return both;
    }

    private Duration jittered(Duration duration) {
        return duration.plusNanos(environment.random().nextLong(duration.toNanos() / 10 + 1));
    }
}
