package dev.couchjobs.simulation;

import dev.couchjobs.faults.Rows;
import java.util.ArrayList;
import java.util.List;

/** Jobs that are added by one call appear together or not at all. */
final class Batches implements Law {
    private final Complaints complaints;
    private final List<List<String>> awaited = new ArrayList<>();

    Batches(Complaints complaints) {
        this.complaints = complaints;
    }

    /** Somebody is about to add jobs whose ids are new. */
    void adding(List<String> jobIds) {
        awaited.add(jobIds);
    }

    @Override
    public void check(Books before, Books after, List<Rows.Change> news) {
        awaited.removeIf(batch -> {
            List<String> there =
                    batch.stream().filter(after.jobs()::containsKey).toList();
            complaints.require(there.isEmpty() || there.equals(batch), "Of " + batch + " there are only " + there);
            return !there.isEmpty();
        });
    }
}
