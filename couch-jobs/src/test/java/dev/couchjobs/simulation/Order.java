package dev.couchjobs.simulation;

import dev.couchjobs.faults.Rows;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Nobody takes a job while he can see one of a higher priority that he leaves.
 *
 * <p>A claim sees what was committed up to its read version, and that is not older than what a transaction may be when it
 * commits. Whatever has waited since before then, and goes on waiting, was left by the claim: however many it took, it
 * would have taken this one first. Scheduled jobs are left out, because each process has its own idea of what is due.
 */
final class Order implements Law {
    /** FoundationDB's five seconds, in versions. */
    private static final long OLDEST = 5_000_000;
    /** Where no step takes long, a transaction reads and commits at once. */
    private static final long OLDEST_IN_PEACE = 10_000;

    private final long oldest;
    private final Complaints complaints;
    private final Map<String, Long> changedAt = new HashMap<>();

    Order(Scenario scenario, Complaints complaints) {
        this.oldest = scenario.peaceful() ? OLDEST_IN_PEACE : OLDEST;
        this.complaints = complaints;
    }

    @Override
    public void check(Books before, Books after, List<Rows.Change> news) {
        news.forEach(change -> changedAt.put(
                change.jobId(), ByteBuffer.wrap(change.sequence().getBytes()).getLong()));
        after.jobs().forEach((jobId, job) -> {
            if (job.isClaimedSince(before.jobs().get(jobId))) {
                checkLeft(after, job.priority(), changedAt.getOrDefault(jobId, 0L) - oldest);
            }
        });
    }

    private void checkLeft(Books after, int taken, long seen) {
        after.jobs().forEach((jobId, job) -> {
            boolean left = job.isClaimable() && job.priority() > taken && changedAt.getOrDefault(jobId, 0L) < seen;
            complaints.require(!left, "A job of priority " + taken + " was taken, and left was " + jobId + ": " + job);
        });
    }
}
