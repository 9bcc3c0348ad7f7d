package dev.couchjobs.internal.claims;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.JobType;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.internal.data.ClaimEnd;
import dev.couchjobs.internal.data.Payload;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Creates the stored end of a job: its time, outcome, and removal time.
 */
public final class ClaimEndFactory {
    private static final int ERROR_CHARS_MAX = 4_000;

    private final InstantSource clock;

    public ClaimEndFactory(InstantSource clock) {
        this.clock = clock;
    }

    /** {@return the end of a job that succeeded} */
    public ClaimEnd succeeded(JobType<?, ?> type, @Nullable Payload result) {
        return end(type, AttemptEnd.SUCCEEDED, Outcome.SUCCEEDED, null, result);
    }

    /** {@return the end of a job that will not be tried again} */
    public ClaimEnd failed(JobType<?, ?> type, String error) {
        return end(type, AttemptEnd.FAILED, Outcome.FAILED, error, null);
    }

    /** {@return the end of a job whose last processor went silent} */
    public ClaimEnd expired(JobType<?, ?> type, String error) {
        return end(type, AttemptEnd.EXPIRED, Outcome.FAILED, error, null);
    }

    /** {@return the end of a job that was given up on purpose} */
    public ClaimEnd cancelled(JobType<?, ?> type, String reason) {
        return end(type, AttemptEnd.CANCELLED, Outcome.CANCELLED, reason, null);
    }

    /** {@return the end of an attempt after which there is to be another} */
    public ClaimEnd ofAttempt(AttemptEnd how, @Nullable String error) {
        return ClaimEnd.of(how, clock.millis(), bounded(error));
    }

    private ClaimEnd end(
            JobType<?, ?> type, AttemptEnd how, Outcome outcome, @Nullable String error, @Nullable Payload result) {
        Instant now = clock.instant();
        Retention retention = type.retention();
        long removeAt = retention
                .after(outcome)
                .map(time -> removeAt(now, time, retention.isArchived()))
                .orElse(ClaimEnd.NEVER);
        return new ClaimEnd(how, now.toEpochMilli(), bounded(error), result, removeAt, retention.isArchived());
    }

    /** A job that an archive is to take first cannot go at once. */
    private static long removeAt(Instant now, Duration time, boolean archived) {
        return time.isZero() && !archived ? ClaimEnd.AT_ONCE : ScheduledTimes.toSeconds(now.plus(time));
    }

    private static @Nullable String bounded(@Nullable String error) {
        return error == null ? null : ErrorText.cut(error, ERROR_CHARS_MAX);
    }
}
