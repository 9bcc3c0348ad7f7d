package dev.couchjobs.internal.claims;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.JobType;
import dev.couchjobs.Outcome;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a running job becomes when its claim ends: the one place that derives the next row from a {@link Disposition}.
 *
 * <p>A running job that was resubmitted becomes pending when its claim ends, regardless of the outcome. It gets the
 * requested scheduled time, and its attempts start again from zero.
 */
public final class RowTransitions {
    private final RandomGenerator random;
    private final InstantSource clock;

    public RowTransitions(InstantSource clock, RandomGenerator random) {
        this.random = random;
        this.clock = clock;
    }

    /** {@return the row of a job whose claim ends} */
    public JobRow after(JobType<?, ?> type, JobRow running, Disposition disposition) {
        if (disposition instanceof Disposition.Succeeded succeeded) {
            Payload result = succeeded.result().map(Payload::of).orElse(null);
            return running.finished(end(type, AttemptEnd.SUCCEEDED, Outcome.SUCCEEDED, null, result));
        }
        if (disposition instanceof Disposition.Failed failed) {
            return failed(type, running, failed);
        }
        if (disposition instanceof Disposition.Snoozed snoozed) {
            ClaimEnd claimEnd = endOfAttempt(AttemptEnd.SNOOZED, null);
            return running.resubmit()
                    ? running.finished(claimEnd)
                    : running.retried(timeAfter(snoozed.pause()), claimEnd);
        }
        if (disposition instanceof Disposition.Cancelled cancelled) {
            return running.finished(end(type, AttemptEnd.CANCELLED, Outcome.CANCELLED, cancelled.reason(), null));
        }
        if (disposition instanceof Disposition.PutBack) {
            return running.putBack(clock.millis());
        }
        if (disposition instanceof Disposition.Released released) {
            return released(type, running, released);
        }
        if (disposition instanceof Disposition.Expired) {
            return expired(type, running);
        }
        throw new AssertionError(disposition);
    }

    /** {@return the row of a pending or running job that another than its holder cancels} */
    public JobRow cancelled(JobType<?, ?> type, JobRow row, String reason) {
        return row.cancelled(end(type, AttemptEnd.CANCELLED, Outcome.CANCELLED, ErrorText.storable(reason), null));
    }

    /**
     * {@return the row of a pending job that has not begun by its deadline}
     *
     * @param now the time by which it is late: at a second reading the clock may have been set
     */
    public JobRow late(JobType<?, ?> type, JobRow row, Instant now) {
        String error = "The job had not begun by its deadline, " + Instant.ofEpochMilli(row.deadline()) + ".";
        return row.cancelled(end(type, AttemptEnd.CANCELLED, Outcome.EXPIRED, error, null, now));
    }

    private JobRow failed(JobType<?, ?> type, JobRow running, Disposition.Failed how) {
        Optional<Duration> pause =
                how.again() && !running.resubmit() ? pauseAfterFailure(type, running) : Optional.empty();
        return pause.isPresent()
                ? running.retried(timeAfter(pause.get()), endOfAttempt(AttemptEnd.FAILED, how.error()))
                : running.finished(end(type, AttemptEnd.FAILED, Outcome.FAILED, how.error(), null));
    }

    /** A job whose claim is released waits again, unless that has happened as often as its type allows. */
    private JobRow released(JobType<?, ?> type, JobRow running, Disposition.Released how) {
        ReleaseReason reason = how.reason();
        int releases = running.claimInfo().releases().of(reason);
        if (releases < type.maxReleases(reason) || running.resubmit()) {
            ClaimEnd claimEnd = endOfAttempt(AttemptEnd.RELEASED, how.error());
            return running.released(timeAfterRelease(type, running, reason), reason, claimEnd);
        }
        String bound = "The job was released " + releases + " times before, which is as often as its type allows for "
                + reason + ".";
        String error = how.error() == null
                ? bound + " Its work takes longer than its processors run."
                : how.error() + "\n" + bound;
        return running.finished(end(type, AttemptEnd.FAILED, Outcome.FAILED, error, null));
    }

    /** Another processor takes over from one that shuts down; where memory is short, the job waits. */
    private long timeAfterRelease(JobType<?, ?> type, JobRow running, ReleaseReason reason) {
        return reason == ReleaseReason.SHUTDOWN || running.resubmit()
                ? running.scheduledTime()
                : timeAfter(type, running, running.claimInfo().releases().of(reason) + 1);
    }

    /**
     * A job whose claim has expired waits again, unless that was the last attempt.
     *
     * <p>A claim that is not known to have begun is no attempt. Only the first expiry in a row may be uncounted: the
     * job is then a suspect, and a suspect's claim counts as begun.
     */
    private JobRow expired(JobType<?, ?> type, JobRow running) {
        ClaimInfo claimInfo = running.claimInfo();
        boolean isLast = claimInfo.started()
                && !running.resubmit()
                && pauseAfterFailure(type, running).isEmpty();
        if (!isLast) {
            return running.requeued(clock.millis(), timeAfterExpiry(type, running));
        }
        int attempts = claimInfo.failures() + 1;
        String error = "The processor " + claimInfo.by()
                + " sent no heartbeat for longer than the type's activity timeout. That was"
                + " attempt " + attempts + " of " + attempts + ". Claims on this job have expired "
                + (claimInfo.expiries() + 1) + " times: its process died or was suspended while it ran.";
        return running.ended(end(type, AttemptEnd.EXPIRED, Outcome.FAILED, error, null));
    }

    /** The first expiry delays nothing: most often the process ended for a reason other than the job. */
    private long timeAfterExpiry(JobType<?, ?> type, JobRow running) {
        int expiries = running.claimInfo().expiries();
        return expiries == 0 || running.resubmit() ? running.scheduledTime() : timeAfter(type, running, expiries);
    }

    /** {@return the scheduled time after the pause that follows as many failures} */
    private long timeAfter(JobType<?, ?> type, JobRow running, int times) {
        RetryPolicy policy = policy(type, running);
        return policy.delayAfter(Math.min(times, policy.maxAttempts() - 1), random)
                .map(this::timeAfter)
                .orElse(running.scheduledTime());
    }

    private static RetryPolicy policy(JobType<?, ?> type, JobRow running) {
        RetryPolicy own = running.options().retry();
        return own == null ? type.retry() : own;
    }

    /** {@return the pause before the next attempt if the current one fails, or empty if it is the last} */
    private Optional<Duration> pauseAfterFailure(JobType<?, ?> type, JobRow running) {
        return policy(type, running).delayAfter(running.claimInfo().failures() + 1, random);
    }

    /** A pause of zero gives no scheduled time, since a scheduled time would be the next whole second. */
    private long timeAfter(Duration pause) {
        return pause.isZero()
                ? ScheduledTimes.NONE
                : ScheduledTimes.toSeconds(clock.instant().plus(pause));
    }

    /** {@return the end of a claim whose job waits for another attempt} */
    private ClaimEnd endOfAttempt(AttemptEnd how, @Nullable String error) {
        return ClaimEnd.of(how, clock.millis(), bounded(error));
    }

    /** {@return the end of a claim that ends its job} */
    private ClaimEnd end(
            JobType<?, ?> type, AttemptEnd how, Outcome outcome, @Nullable String error, @Nullable Payload result) {
        return end(type, how, outcome, error, result, clock.instant());
    }

    private static ClaimEnd end(
            JobType<?, ?> type,
            AttemptEnd how,
            Outcome outcome,
            @Nullable String error,
            @Nullable Payload result,
            Instant now) {
        Retention retention = type.retention();
        long removeAt = retention
                .after(outcome)
                .map(time -> removeAt(now, time, retention.isArchived()))
                .orElse(ClaimEnd.NEVER);
        boolean isLate = outcome == Outcome.EXPIRED;
        return new ClaimEnd(how, isLate, now.toEpochMilli(), bounded(error), result, removeAt, retention.isArchived());
    }

    /** A job that an archive receives first cannot be removed at once. */
    private static long removeAt(Instant now, Duration time, boolean archived) {
        return time.isZero() && !archived ? ClaimEnd.AT_ONCE : ScheduledTimes.toSeconds(now.plus(time));
    }

    private static @Nullable String bounded(@Nullable String error) {
        return error == null ? null : ErrorText.bounded(error);
    }
}
