package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.faults.Rows;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A job that follows from another appears in the commit in which that one succeeds, and only once. */
final class FollowUps implements Law {
    private static final String PREFIX = "after-";

    private final Complaints complaints;
    private final Set<String> seen = new HashSet<>();

    FollowUps(Complaints complaints) {
        this.complaints = complaints;
    }

    /** {@return the id of what follows from a claim} */
    static String idOf(UUID claim) {
        return PREFIX + claim;
    }

    static boolean isOne(String jobId) {
        return jobId.startsWith(PREFIX);
    }

    @Override
    public void check(Books before, Books after, List<Rows.Change> news) {
        for (String jobId : after.jobs().keySet()) {
            if (isOne(jobId) && !before.jobs().containsKey(jobId)) {
                UUID claim = UUID.fromString(jobId.substring(PREFIX.length()));
                complaints.require(seen.add(jobId), jobId + " is there once more");
                complaints.require(hasEnded(claim, before, after), jobId + " is there, and its claim has not ended");
            }
        }
    }

    private static boolean hasEnded(UUID claim, Books before, Books after) {
        return before.jobs().entrySet().stream()
                .filter(job -> claim.equals(job.getValue().lock()))
                .map(job -> after.jobs().get(job.getKey()))
                .anyMatch(job -> job != null && job.state() != JobState.RUNNING && "succeeded".equals(job.how()));
    }
}
