package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.faults.TypeRows;
import java.util.List;

/** Who is told that jobs were sent again, they were, and not by another. */
final class DeadLettersLaw implements Law {
    private final Violations violations;
    private long sent;
    private long told;

    DeadLettersLaw(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        before.jobs().forEach((jobId, was) -> {
            MainRow is = after.jobs().get(jobId);
            if (was.isFinished(Outcome.FAILED) && is != null && is.state() == JobState.PENDING && is.hasDataOf(was)) {
                sent++;
            }
        });
    }

    /** Somebody was told that he has sent so many. */
    void wereSent(long count) {
        told += count;
        violations.require(told <= sent, told + " dead letters were said to be sent again, and were " + sent);
    }
}
