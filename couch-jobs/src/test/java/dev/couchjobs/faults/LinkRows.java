package dev.couchjobs.faults;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The rows that say which jobs of one type wait for which, those of other types included only on the one side. */
final class LinkRows {
    /** Dependent, dependency, room. */
    private final Set<Tuple> outward = new TreeSet<>();

    private final Set<Tuple> inward = new TreeSet<>();
    private final Set<Tuple> releasing = new TreeSet<>();
    private final Set<String> expected = new TreeSet<>();
    private final Set<String> waiting = new TreeSet<>();

    void add(Tuple key) {
        String type = key.getString(1);
        String jobId = key.getString(2);
        switch (key.getString(0)) {
            case "waits_for" -> {
                waiting.add(jobId);
                if (key.getString(3).equals(type)) {
                    outward.add(Tuple.from(jobId, key.getString(4), key.getLong(5)));
                }
            }
            case "dependents" -> {
                if (key.getString(4).equals(type)) {
                    inward.add(Tuple.from(key.getString(5), jobId, key.getLong(3)));
                }
            }
            case "releasing" -> releasing.add(Tuple.from(jobId, key.getLong(3)));
            default -> expected.add(jobId);
        }
    }

    /** What contradicts what: a job waits as long as it has links, and no link is known to one side only. */
    List<String> contradictions(Map<String, TypeRows.Data> data) {
        List<String> found = new ArrayList<>();
        if (!outward.equals(inward)) {
            found.add("jobs wait for " + outward + ", and are waited for " + inward);
        }
        data.forEach((jobId, row) -> {
            boolean waits = row.waitsForDependency();
            if (waits != waiting.contains(jobId)) {
                found.add(jobId + (waits ? " waits for nobody: " : " has links and does not wait: ") + row);
            }
            if (expected.contains(jobId)) {
                found.add(jobId + " is there and expected: " + row);
            }
        });
        waiting.stream()
                .filter(jobId -> !data.containsKey(jobId))
                .forEach(jobId -> found.add(jobId + " has links and no row"));
        for (Tuple link : inward) {
            String dependency = link.getString(1);
            TypeRows.Data row = data.get(dependency);
            boolean isTold = releasing.contains(Tuple.from(dependency, link.getLong(2)));
            if (row == null && !expected.contains(dependency) && !isTold) {
                found.add(link + ": waits for a job that is not there and not expected");
            }
            if (row != null && row.state() == JobState.FINISHED && !row.failed() && !isTold) {
                found.add(link + ": waits for a job that has succeeded");
            }
        }
        return found;
    }
}
