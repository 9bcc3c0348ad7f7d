package dev.couchjobs.simulation;

import dev.couchjobs.faults.TypeRows;
import java.util.ArrayList;
import java.util.List;

/** Jobs that are added by one call appear together or not at all. */
final class BatchesLaw implements Law {
    private final Violations violations;
    private final List<List<String>> awaited = new ArrayList<>();

    BatchesLaw(Violations violations) {
        this.violations = violations;
    }

    /** Somebody is about to add jobs whose ids are new. */
    void adding(List<String> jobIds) {
        awaited.add(jobIds);
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        awaited.removeIf(batch -> {
            List<String> there =
                    batch.stream().filter(after.jobs()::containsKey).toList();
            violations.require(there.isEmpty() || there.equals(batch), "Of " + batch + " there are only " + there);
            return !there.isEmpty();
        });
    }
}
