package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.faults.Rows;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job that follows from another appears in the commit in which that one succeeds, and only once. */
final class FollowUps implements Law {
    private static final String PREFIX = "after-";

    private final Complaints complaints;
    private final Set<UUID> seen = new HashSet<>();

    FollowUps(Complaints complaints) {
        this.complaints = complaints;
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
    public void check(Books before, Books after, List<Rows.Change> news) {
        for (String jobId : after.jobs().keySet()) {
            if (isOne(jobId) && !before.jobs().containsKey(jobId)) {
                UUID claim = claimIn(after.jobs().get(jobId));
                complaints.require(seen.add(claim), "There is once more what follows from " + claim + ": " + jobId);
                complaints.require(hasEnded(claim, before, after), jobId + " is there, and its claim has not ended");
            }
        }
    }

    private static UUID claimIn(@Nullable Line job) {
        String json = job == null || job.data() == null ? "" : job.data();
        return UUID.fromString(json.substring(1, json.length() - 1));
    }

    private static boolean hasEnded(UUID claim, Books before, Books after) {
        return before.jobs().entrySet().stream()
                .filter(job -> claim.equals(job.getValue().lock()))
                .map(job -> after.jobs().get(job.getKey()))
                .anyMatch(job -> job != null && job.state() != JobState.RUNNING && "succeeded".equals(job.how()));
    }
}
