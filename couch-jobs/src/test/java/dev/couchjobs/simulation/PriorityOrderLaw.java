package dev.couchjobs.simulation;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.faults.TypeRows;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Nobody takes a job while he can see one of a higher priority that he leaves, but for the part of the claims that is
 * kept for lower priorities.
 *
 * <p>A claim sees what was committed up to its read version, and that is not older than what a transaction may be when
 * it commits. Whatever has waited since before then, and goes on waiting, was left by the claim: however many it took,
 * it would have taken this one first. Scheduled jobs are left out, because each process has its own idea of what is
 * due; so are jobs on which a claim has expired, because each of them is claimed alone, and jobs with turn keys, whose
 * priorities count within their keys.
 */
final class PriorityOrderLaw implements Law {
    /** FoundationDB's five seconds, in versions. */
    static final long OLDEST = 5_000_000;
    /** Where no step takes long, a transaction reads and commits at once. */
    private static final long OLDEST_IN_PEACE = 10_000;

    private final long oldest;
    private final int outOfOrder;
    private final Violations violations;
    private final Map<String, Versionstamp> changedAt = new HashMap<>();

    PriorityOrderLaw(JobsScenario scenario, Violations violations) {
        this.oldest = scenario.peaceful() ? OLDEST_IN_PEACE : OLDEST;
        this.outOfOrder = scenario.outOfOrder();
        this.violations = violations;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        news.forEach(change -> changedAt.put(change.jobId(), change.sequence()));
        Map<ByteBuffer, List<String>> early = new HashMap<>();
        after.jobs().forEach((jobId, job) -> {
            if (!job.hasTurnKey()
                    && job.isClaimedSince(before.jobs().get(jobId))
                    && hasLeft(after, jobId, job.priority())) {
                early.computeIfAbsent(commitOf(jobId), unused -> new ArrayList<>())
                        .add(jobId);
            }
        });
        early.values()
                .forEach(jobIds -> violations.require(
                        jobIds.size() <= outOfOrder,
                        jobIds + " were taken, and left were others of a higher priority: " + after.jobs()));
    }

    private boolean hasLeft(DerivedRows after, String taken, int priority) {
        long seen = changedAt(taken) - oldest;
        return after.jobs().entrySet().stream()
                .filter(other ->
                        other.getValue().isClaimable() && !other.getValue().suspect())
                .filter(other ->
                        !other.getValue().hasTurnKey() && other.getValue().priority() > priority)
                .anyMatch(other -> changedAt(other.getKey()) < seen);
    }

    private long changedAt(String jobId) {
        Versionstamp sequence = changedAt.get(jobId);
        return sequence == null ? 0 : ByteBuffer.wrap(sequence.getBytes()).getLong();
    }

    private ByteBuffer commitOf(String jobId) {
        return ByteBuffer.wrap(Objects.requireNonNull(changedAt.get(jobId)).getTransactionVersion());
    }
}
