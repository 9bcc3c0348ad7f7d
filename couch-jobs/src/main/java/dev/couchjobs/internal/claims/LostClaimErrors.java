package dev.couchjobs.internal.claims;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.views.ClaimedJob;
import java.util.Locale;
import java.util.Optional;

/** The errors for holders whose claims are lost or have ended. */
public final class LostClaimErrors {
    private LostClaimErrors() {}

    /** {@return the error for the holder of a claim that the job's row, if there is one, does not name} */
    public static JobHaltedException of(Job<?> job, Optional<JobRow> row) {
        String type = job.type().name();
        boolean ended = row.isPresent() && row.get().wasLastHeldBy(job.lock());
        AttemptEnd how = ended ? end(row.get()) : AttemptEnd.EXPIRED;
        if (ended && how == AttemptEnd.SUCCEEDED) {
            return new JobAlreadyFinishedException(type, job.id());
        }
        if (!ended
                && row.filter(found ->
                                found.wasCancelledUnder(ClaimedJob.of(job).claim()))
                        .isPresent()) {
            return cancelled(job, row.get());
        }
        String why;
        if (row.isEmpty()) {
            why = " has been removed.";
        } else if (how == AttemptEnd.RELEASED) {
            return released(job);
        } else if (ended) {
            why = " is over for this claim, which has ended as " + how.name().toLowerCase(Locale.ROOT) + ".";
        } else {
            why = " is no longer held by this processor: it sent no heartbeat for longer than the type's"
                    + " timeout, or this claim has ended.";
        }
        return error(job, why, false);
    }

    private static JobHaltedException cancelled(Job<?> job, JobRow row) {
        String reason = row.claimEnd() == null ? null : row.claimEnd().error();
        return error(job, " was cancelled" + (reason == null ? "." : ": \"" + reason + "\"."), true);
    }

    /** {@return the error for a handler whose worker has released its job} */
    public static JobHaltedException released(Job<?> job) {
        return error(job, " has been released, because its worker was closed and waited no longer.", false);
    }

    private static JobHaltedException error(Job<?> job, String why, boolean isCancelled) {
        String type = job.type().name();
        return new JobHaltedException(
                type,
                job.id(),
                "Job " + job.id() + " of type " + type + why + " Stop working on it; nothing was written.",
                isCancelled);
    }

    /** {@return how the claim ended} A processor may take its job for finished only if the claim ended in success. */
    private static AttemptEnd end(JobRow row) {
        return row.claimEnd() == null ? AttemptEnd.SUCCEEDED : row.claimEnd().how();
    }
}
