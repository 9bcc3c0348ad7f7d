package dev.couchjobs.internal.verbs;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.internal.data.JobRow;
import java.util.Optional;

/** Says why a claim does not hold its job any more. */
final class Halts {
    private Halts() {}

    /** What the holder of a claim is told whose job's row, if there is one, does not bear its lock. */
    static JobHaltedException of(Job<?> job, Optional<JobRow> row) {
        String type = job.type().name();
        boolean ended = row.isPresent() && row.get().wasLastHeldBy(job.lock());
        if (ended && !isGivenBack(row.get())) {
            return new JobAlreadyFinishedException(type, job.id());
        }
        String why = row.isEmpty()
                ? " has been removed."
                : ended
                        ? " has been given back, because its worker was closed and waited no longer."
                        : " is no longer held by this processor: it was silent for longer than the type's timeout, or this claim has ended.";
        return new JobHaltedException(
                type,
                job.id(),
                "Job " + job.id() + " of type " + type + why + " Stop working on it; nothing was written.");
    }

    /** Whether it runs again as if nothing had been done: whoever had it must not take it for finished. */
    private static boolean isGivenBack(JobRow row) {
        return row.ending() != null && row.ending().how() == AttemptEnd.HANDED_BACK;
    }
}
