package dev.couchjobs.internal.claims;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.views.ClaimedJob;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The errors for holders whose claims are lost or have ended. */
public final class LostClaimErrors {
    private static final String RELEASED = " has been released by its processor, or because its worker was closed.";

    private LostClaimErrors() {}

    /** {@return the error for the holder of a claim that the job's row, if there is one, does not name} */
    public static JobHaltedException of(Job<?> job, Optional<JobRow> row) {
        return of(
                job.type().name(),
                job.id(),
                job.lock(),
                row,
                found -> found.wasCancelledUnder(ClaimedJob.of(job).claim()));
    }

    /** {@return the same error for a holder that knows only the lock of its claim} */
    public static JobHaltedException of(JobType<?, ?> type, String jobId, UUID lock, Optional<JobRow> row) {
        return of(
                type.name(),
                jobId,
                lock,
                row,
                found -> found.wasCancelledUnder(found.claimInfo().number()));
    }

    private static JobHaltedException of(
            String type, String jobId, UUID lock, Optional<JobRow> row, Predicate<JobRow> isCancelled) {
        if (row.isEmpty()) {
            return error(type, jobId, " has been removed.", false, true, null);
        }
        boolean ended = row.get().wasLastHeldBy(lock);
        AttemptEnd how = ended ? end(row.get()) : AttemptEnd.EXPIRED;
        if (ended && how == AttemptEnd.SUCCEEDED) {
            return new JobAlreadyFinishedException(type, jobId);
        }
        if (!ended && isCancelled.test(row.get())) {
            return cancelled(type, jobId, row.get());
        }
        if (how == AttemptEnd.RELEASED) {
            return error(type, jobId, RELEASED, false, false, ended ? how : null);
        }
        String why = ended
                ? " is over for this claim, which has ended as " + how.name().toLowerCase(Locale.ROOT) + "."
                : " is no longer held by this processor: it sent no heartbeat for longer than the type's"
                        + " timeout, or this claim has ended.";
        return error(type, jobId, why, false, false, ended ? how : null);
    }

    private static JobHaltedException cancelled(String type, String jobId, JobRow row) {
        String reason = row.claimEnd() == null ? null : row.claimEnd().error();
        return error(
                type, jobId, " was cancelled" + (reason == null ? "." : ": \"" + reason + "\"."), true, false, null);
    }

    /** {@return the error for a handler whose worker has released its job} */
    public static JobHaltedException released(Job<?> job) {
        return error(job.type().name(), job.id(), RELEASED, false, false, AttemptEnd.RELEASED);
    }

    private static JobHaltedException error(
            String type, String jobId, String why, boolean isCancelled, boolean isRemoved, @Nullable AttemptEnd end) {
        return new JobHaltedException(
                type,
                jobId,
                "Job " + jobId + " of type " + type + why + " Stop working on it; nothing was written.",
                isCancelled,
                isRemoved,
                end);
    }

    /** {@return how the claim ended} A processor may take its job for finished only if the claim ended in success. */
    private static AttemptEnd end(JobRow row) {
        return row.claimEnd() == null ? AttemptEnd.SUCCEEDED : row.claimEnd().how();
    }
}
