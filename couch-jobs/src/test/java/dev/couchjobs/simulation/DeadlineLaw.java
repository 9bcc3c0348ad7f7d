package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.faults.TypeRows;
import java.util.List;

/**
 * No process claims a job behind its deadline, and only jobs expire that have not begun and are behind theirs, by the
 * process's clock.
 */
final class DeadlineLaw implements Law {
    private final Violations violations;

    DeadlineLaw(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        after.jobs().forEach((jobId, is) -> {
            MainRow was = before.jobs().get(jobId);
            if (was == null || was.state() != JobState.PENDING) {
                return;
            }
            violations.require(
                    !is.isClaimedSince(was) || was.deadline() == 0 || is.claimedAt() < was.deadline(),
                    () -> jobId + " began behind its deadline: from " + was + " to " + is);
            violations.require(
                    !is.isFinished(Outcome.EXPIRED)
                            || (was.deadline() != 0 && is.endedAt() >= was.deadline() && was.failures() == 0),
                    () -> jobId + " expired before its deadline, or had begun: from " + was + " to " + is);
        });
    }
}
