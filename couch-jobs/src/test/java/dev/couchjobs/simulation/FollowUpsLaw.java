package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.faults.TypeRows;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job that follows from another appears in the commit in which that one succeeds, and only once. */
final class FollowUpsLaw implements Law {
    private static final String PREFIX = "after-";

    private final Violations violations;
    private final Set<UUID> seen = new HashSet<>();

    FollowUpsLaw(Violations violations) {
        this.violations = violations;
    }

    /** {@return an id for what follows from a job; each try of a transaction makes another} */
    static String idOf(String newId) {
        return PREFIX + newId;
    }

    /** {@return the data of what follows from a claim} */
    static String dataOf(UUID claim) {
        return claim.toString();
    }

    static boolean isOne(String jobId) {
        return jobId.startsWith(PREFIX);
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        for (String jobId : after.jobs().keySet()) {
            if (isOne(jobId) && !before.jobs().containsKey(jobId)) {
                UUID claim = claimIn(after.jobs().get(jobId));
                violations.require(seen.add(claim), "There is once more what follows from " + claim + ": " + jobId);
                violations.require(hasEnded(claim, before, after), jobId + " is there, and its claim has not ended");
            }
        }
    }

    private static UUID claimIn(@Nullable MainRow job) {
        String json = job == null || job.data() == null ? "" : job.data();
        return UUID.fromString(json.substring(1, json.length() - 1));
    }

    private static boolean hasEnded(UUID claim, DerivedRows before, DerivedRows after) {
        return before.jobs().entrySet().stream()
                .filter(job -> claim.equals(job.getValue().lock()))
                .map(job -> after.jobs().get(job.getKey()))
                .anyMatch(job -> job != null && job.state() != JobState.RUNNING && "succeeded".equals(job.how()));
    }
}
