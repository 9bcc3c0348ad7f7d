package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.faults.Rows;
import java.util.List;

/** Who is told that jobs were sent again, they were, and not by another. */
final class DeadLetters implements Law {
    private final Complaints complaints;
    private long sent;
    private long told;

    DeadLetters(Complaints complaints) {
        this.complaints = complaints;
    }

    @Override
    public void check(Books before, Books after, List<Rows.Change> news) {
        before.jobs().forEach((jobId, was) -> {
            Line is = after.jobs().get(jobId);
            if (was.isFinished(Outcome.FAILED) && is != null && is.state() == JobState.PENDING && is.hasDataOf(was)) {
                sent++;
            }
        });
    }

    /** Somebody was told that he has sent so many. */
    void wereSent(long count) {
        told += count;
        complaints.require(told <= sent, told + " dead letters were said to be sent again, and were " + sent);
    }
}
