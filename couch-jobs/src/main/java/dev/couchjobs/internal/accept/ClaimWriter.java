package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.activity.SharedActivity;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.Firing;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.schedules.ScheduleFirings;
import dev.couchjobs.internal.views.ClaimedJob;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Writes claims of jobs of one type, and finds the claims that an earlier try of the transaction has committed.
 *
 * @param <D> the type of the jobs' data
 */
final class ClaimWriter<D> {
    private final JobType<D, ?> type;
    private final Keyspace keyspace;
    private final Environment environment;
    private final String instanceName;
    private final PayloadCodec codec;
    private final ScheduleFirings firings;
    private final RowTransitions rowTransitions;

    ClaimWriter(JobType<D, ?> type, Instance instance) {
        this.type = type;
        this.keyspace = instance.keyspace();
        this.environment = instance.environment();
        this.instanceName = instance.name();
        this.codec = instance.codec();
        this.firings = new ScheduleFirings(keyspace, instance.clock(), environment.random());
        this.rowTransitions = new RowTransitions(instance.clock(), environment.random());
    }

    /**
     * Ends jobs that have not begun by their deadlines.
     *
     * @param now the time by which they are late
     */
    CompletableFuture<?> endLate(Transaction tx, Map<JobRef, JobRow> late, Instant now) {
        return late.isEmpty()
                ? CompletableFuture.completedFuture(late)
                : ending(tx).thenAccept(ending -> {
                    List<RowChange> ends = new ArrayList<>(late.size());
                    late.forEach(
                            (ref, row) -> ends.add(new RowChange(ref, row, rowTransitions.late(ending, row, now))));
                    JobStore.of(tx).saveAll(ends);
                });
    }

    private CompletableFuture<JobType<?, ?>> ending(Transaction tx) {
        return TypeRetention.ending(tx, keyspace.type(type.name()), type);
    }

    /** The lock that a try has written into a job's row, and the activity row that the job shares if it commits. */
    record TriedClaim(UUID lock, SharedActivity activity) {}

    JobRef ref(String jobId) {
        return keyspace.job(type.name(), jobId);
    }

    /**
     * Plans the claims of candidates. A suspect is claimed alone, when that is the first job, unless each job is for
     * its own caller: if the suspect ends the process again, no other claim expires with it.
     *
     * @param candidateJobs the rows of the candidates by job id, in the order of the queue
     * @param limitShard the shard of the limit of the type that counts the claims
     * @param now the time by which none of the candidates is late
     * @return the changes of the rows to claim
     */
    List<RowChange> planClaims(ClaimCriteria criteria, Map<String, JobRow> candidateJobs, int limitShard, Instant now) {
        Map<String, JobRow> toClaim = candidateJobs;
        boolean beginsWork = criteria.workStart() == WorkStart.WITH_CLAIM;
        if (!beginsWork) {
            Map.Entry<String, JobRow> first =
                    candidateJobs.entrySet().stream().findFirst().orElse(null);
            if (criteria.suspects() && first != null && isSuspect(first.getValue())) {
                toClaim = Map.of(first.getKey(), first.getValue());
                beginsWork = true;
            } else {
                toClaim = new LinkedHashMap<>(candidateJobs);
                toClaim.values().removeIf(ClaimWriter::isSuspect);
                beginsWork = criteria.workStart() == WorkStart.WITH_CLAIM_FOR_ONE_CALLER
                        || (criteria.workStart() == WorkStart.WITH_CLAIM_OF_ONE && toClaim.size() == 1);
            }
        }
        List<RowChange> claims = new ArrayList<>(toClaim.size());
        for (Map.Entry<String, JobRow> job : toClaim.entrySet()) {
            JobRow claimed = job.getValue()
                    .claimed(
                            randomLock(), instanceName, now.toEpochMilli(), toClaim.size() > 1, beginsWork, limitShard);
            claims.add(new RowChange(ref(job.getKey()), job.getValue(), claimed));
        }
        return claims;
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
     * Writes the claims of one try, and loads the data of the jobs.
     *
     * @param token identifies the transaction, so that later tries find out whether this one has committed
     * @param triedClaims receives the claims by job id
     */
    List<CompletableFuture<GrantedClaim<D>>> write(
            Transaction tx, long token, List<RowChange> claims, Map<String, TriedClaim> triedClaims) {
        List<CompletableFuture<GrantedClaim<D>>> jobs = new ArrayList<>(claims.size());
        JobStore store = JobStore.of(tx).withToken(token);
        for (List<RowChange> portion : JobStore.partition(claims)) {
            int userVersion = store.saveTogether(portion);
            SharedActivity activity =
                    new SharedActivity(tx, portion.get(0).ref().keys(), userVersion, portion.size());
            for (RowChange rowChange : portion) {
                JobRow row = Objects.requireNonNull(rowChange.after());
                TriedClaim triedClaim = new TriedClaim(Objects.requireNonNull(row.lock()), activity);
                triedClaims.remove(rowChange.ref().id()); // the order is that of the last try
                triedClaims.put(rowChange.ref().id(), triedClaim);
                jobs.add(load(tx, rowChange.ref(), row, triedClaim));
            }
        }
        return jobs;
    }

    /** Adds the jobs of schedules that follow claimed ones. Claims of other jobs read nothing for that. */
    CompletableFuture<?> addFollowing(Transaction tx, List<RowChange> claims) {
        List<RowChange> firsts =
                claims.stream().filter(ClaimWriter::addsFollowing).toList();
        return firsts.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : ending(tx)
                        .thenCompose(ending -> firings.addFollowingClaimed(
                                tx, firsts, (row, reason) -> rowTransitions.cancelled(ending, row, reason)));
    }

    private static boolean addsFollowing(RowChange claim) {
        Firing firing = Objects.requireNonNull(claim.before()).options().firing();
        return firing != null && firing.addsAtClaim();
    }

    /** {@return the job, if the claim has been committed and is held} */
    CompletableFuture<Optional<GrantedClaim<D>>> heldBy(Transaction tx, String jobId, TriedClaim triedClaim) {
        JobRef ref = ref(jobId);
        return JobTable.find(tx.snapshot(), ref)
                .thenCompose(row -> row.filter(present -> present.isHeldBy(triedClaim.lock()))
                        .map(held -> load(tx, ref, held, triedClaim).thenApply(Optional::of))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
    }

    private CompletableFuture<GrantedClaim<D>> load(Transaction tx, JobRef ref, JobRow row, TriedClaim triedClaim) {
        return row.payload()
                .load(tx, ref)
                .thenApply(json -> new GrantedClaim<>(
                        new ClaimedJob<>(type, ref.id(), row, triedClaim.lock(), json, codec), triedClaim.activity()));
    }
}
