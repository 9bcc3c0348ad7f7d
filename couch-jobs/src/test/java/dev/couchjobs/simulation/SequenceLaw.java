package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.faults.TypeRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** No two jobs of a sequence run, or may run, at once. */
final class SequenceLaw implements Law {
    private final Violations violations;

    SequenceLaw(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        Map<String, String> current = new HashMap<>();
        after.jobs().forEach((jobId, job) -> {
            if (job.sequence() != null && job.state() != JobState.FINISHED && !job.isBlocked()) {
                String other = current.put(job.sequence(), jobId);
                violations.require(
                        other == null,
                        () -> jobId + " and " + other + " of the sequence " + job.sequence() + " may run: "
                                + after.jobs());
            }
        });
    }
}
