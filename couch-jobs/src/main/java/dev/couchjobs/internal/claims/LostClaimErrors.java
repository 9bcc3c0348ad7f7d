package dev.couchjobs.internal.claims;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.internal.data.JobRow;
import java.util.Locale;
import java.util.Optional;

/** Says why a claim does not hold its job any more. */
public final class LostClaimErrors {
    private LostClaimErrors() {}

    /** The error for the holder of a claim that the job's row, if there is one, does not name. */
    public static JobHaltedException of(Job<?> job, Optional<JobRow> row) {
        String type = job.type().name();
        boolean ended = row.isPresent() && row.get().wasLastHeldBy(job.lock());
        AttemptEnd how = ended ? end(row.get()) : AttemptEnd.EXPIRED;
        if (ended && how == AttemptEnd.SUCCEEDED) {
            return new JobAlreadyFinishedException(type, job.id());
        }
        String why;
        if (row.isEmpty()) {
            why = " has been removed.";
        } else if (how == AttemptEnd.HANDED_BACK) {
            return released(job);
        } else if (ended) {
            why = " is over for this claim, which has ended as " + how.name().toLowerCase(Locale.ROOT) + ".";
        } else {
            why = " is no longer held by this processor: it was silent for longer than the type's timeout, or this"
                    + " claim has ended.";
        }
        return error(job, why);
    }

    /** {@return the error for a handler whose worker has given its job back} */
    public static JobHaltedException released(Job<?> job) {
        return error(job, " has been given back, because its worker was closed and waited no longer.");
    }

    private static JobHaltedException error(Job<?> job, String why) {
        String type = job.type().name();
        return new JobHaltedException(
                type,
                job.id(),
                "Job " + job.id() + " of type " + type + why + " Stop working on it; nothing was written.");
    }

    /** How the claim ended: only what ended well may be taken for finished, by a processor that still works on it. */
    private static AttemptEnd end(JobRow row) {
        return row.claimEnd() == null ? AttemptEnd.SUCCEEDED : row.claimEnd().how();
    }
}
