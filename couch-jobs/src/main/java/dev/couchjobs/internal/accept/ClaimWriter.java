package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.views.ClaimedJob;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Puts locks on jobs of one type, and finds those again that an earlier try of a transaction has put.
 *
 * @param <D> the type of the jobs' data
 */
final class ClaimWriter<D> {
    private final JobType<D, ?> type;
    private final Keyspace keyspace;
    private final Environment environment;
    private final InstantSource clock;
    private final String by;
    private final PayloadCodec codec;

    ClaimWriter(JobType<D, ?> type, Instance instance) {
        this.type = type;
        this.keyspace = instance.keyspace();
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.by = instance.name();
        this.codec = instance.codec();
    }

    /** A lock that was put on a job, and the activity row that the job shares if that try commits. */
    record TriedClaim(UUID lock, SharedActivity activity) {}

    JobRef ref(String jobId) {
        return keyspace.job(type.name(), jobId);
    }

    /**
     * What to claim of the jobs that were found. A worker claims a suspect alone, when it comes first: if the
     * suspect ends the process again, no other claim expires with it.
     */
    List<RowChange> steps(ClaimCriteria criteria, Map<String, JobRow> found) {
        Map<String, JobRow> chosen = found;
        boolean begins = criteria.workStart() == WorkStart.WITH_CLAIM;
        if (!begins) {
            Map.Entry<String, JobRow> first =
                    found.entrySet().stream().findFirst().orElse(null);
            if (criteria.suspects() && first != null && isSuspect(first.getValue())) {
                chosen = Map.of(first.getKey(), first.getValue());
                begins = true;
            } else {
                chosen = new LinkedHashMap<>(found);
                chosen.values().removeIf(ClaimWriter::isSuspect);
                begins = criteria.workStart() == WorkStart.WITH_CLAIM_OF_ONE && chosen.size() == 1;
            }
        }
        List<RowChange> changes = new ArrayList<>(chosen.size());
        for (Map.Entry<String, JobRow> each : chosen.entrySet()) {
            long now = clock.millis();
            JobRow after = each.getValue().claimed(randomLock(), by, now, chosen.size() > 1, begins);
            changes.add(new RowChange(ref(each.getKey()), each.getValue(), after));
        }
        return changes;
    }

    private static boolean isSuspect(JobRow row) {
        return row.claimInfo().isSuspect();
    }

    /** A random UUID (version 4) from the environment's randomness. */
    private UUID randomLock() {
        long high = environment.random().nextLong();
        long low = environment.random().nextLong();
        return new UUID((high & ~0xF000L) | 0x4000L, (low & ~(0b11L << 62)) | (0b10L << 62));
    }

    /**
     * Writes and notes what a try claims, and loads what belongs to it.
     *
     * @param token by which later tries find that this one has committed
     * @param notes takes what was put on each job, by its id
     */
    List<CompletableFuture<GrantedClaim<D>>> write(
            Transaction tx, long token, List<RowChange> changes, Map<String, TriedClaim> notes) {
        List<CompletableFuture<GrantedClaim<D>>> jobs = new ArrayList<>(changes.size());
        JobTransaction verb = JobTransaction.of(tx).withToken(token);
        for (List<RowChange> portion : JobTransaction.partition(changes)) {
            int userVersion = verb.saveTogether(portion);
            SharedActivity activity = new SharedActivity(tx, userVersion, portion.size());
            for (RowChange rowChange : portion) {
                JobRow row = Objects.requireNonNull(rowChange.after());
                TriedClaim triedClaim = new TriedClaim(Objects.requireNonNull(row.lock()), activity);
                notes.put(rowChange.ref().id(), triedClaim);
                jobs.add(load(tx, rowChange.ref(), row, triedClaim));
            }
        }
        return jobs;
    }

    /** {@return the job, if that claim on it has been committed and is held} */
    CompletableFuture<Optional<GrantedClaim<D>>> heldBy(Transaction tx, String jobId, TriedClaim triedClaim) {
        JobRef ref = ref(jobId);
        return JobTable.find(tx.snapshot(), ref)
                .thenCompose(row -> row.filter(found -> found.isHeldBy(triedClaim.lock()))
                        .map(found -> load(tx, ref, found, triedClaim).thenApply(Optional::of))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
    }

    private CompletableFuture<GrantedClaim<D>> load(Transaction tx, JobRef ref, JobRow row, TriedClaim triedClaim) {
        return row.payload()
                .load(tx, ref)
                .thenApply(json -> new GrantedClaim<>(
                        new ClaimedJob<>(type, ref.id(), row, triedClaim.lock(), json, codec), triedClaim.activity()));
    }
}
