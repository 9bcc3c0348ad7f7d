package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.faults.TypeRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** No two jobs with one unique key are pending or running at once. */
final class UniqueLaw implements Law {
    private final Violations violations;

    UniqueLaw(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        Map<String, String> active = new HashMap<>();
        after.jobs().forEach((jobId, job) -> {
            if (job.uniqueKey() != null && job.state() != JobState.FINISHED) {
                String other = active.put(job.uniqueKey(), jobId);
                violations.require(
                        other == null,
                        () -> jobId + " and " + other + " have the unique key " + job.uniqueKey() + ": "
                                + after.jobs());
            }
        });
    }
}
