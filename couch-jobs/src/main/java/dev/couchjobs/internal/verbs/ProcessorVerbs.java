package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobType;
import dev.couchjobs.Renewal;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.claims.Fence;
import dev.couchjobs.internal.claims.LostClaimErrors;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.unique.UniqueIndex;
import dev.couchjobs.internal.views.ClaimedJob;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of processors: {@code update}, {@code finish} and {@code resubmit} (RFC 007, "Job Processing API"), and
 * those for claims of other processes.
 *
 * <p>Each reads the job's row so that it conflicts with another claim, and compares the lock. A lost claim cancels the
 * transaction, so that no other write of it can commit, even if the caller ignores the error.
 */
public final class ProcessorVerbs {
    /** As many as a worker renews in one transaction. */
    private static final int RENEWED_MAX = 400;

    private static final Disposition SUCCEEDED = new Disposition.Succeeded(Optional.empty());

    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final RowTransitions rowTransitions;
    private final InstantSource clock;

    public ProcessorVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
        this.clock = instance.environment().clock();
        this.rowTransitions =
                new RowTransitions(instance.clock(), instance.environment().random());
    }

    /** {@return the claim as it is now} */
    public <D> CompletableFuture<Job<D>> update(TransactionContext context, Job<D> job, @Nullable D data) {
        JobRef ref = ref(job);
        Optional<Payload> payload = encode(job, data);
        Transactions.Verb<Job<D>> update = jobs -> jobs.edit(ref, before -> {
            JobRow row = Fence.held(jobs.tx(), job, before);
            JobRow after = row.renewed(payload(row, payload));
            jobs.save(ref, row, after);
            return CompletableFuture.completedFuture(ClaimedJob.of(job).withRow(after));
        });
        if (payload.isEmpty()) {
            // A second heartbeat does no harm, so the verb need not recognise its own commit.
            return transactions.named("update", job.type().name()).run(context, tx -> update.apply(JobStore.of(tx)));
        }
        return transactions
                .named("update", job.type().name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        update.rereadBy(tx ->
                                JobTable.read(tx, ref).thenCompose(row -> reread(tx, job, Fence.held(tx, job, row)))));
    }

    /** {@return the claim that holds a job with a lock} A failure leaves a transaction of the caller's as it is. */
    public <D> CompletableFuture<Job<D>> claim(
            ReadTransactionContext context, JobType<D, ?> type, String jobId, UUID lock) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("get claim", type.name())
                .read(
                        context,
                        tx -> JobTable.read(tx, ref).thenCompose(row -> {
                            JobRow held = held(type, jobId, lock, row);
                            return held.payload()
                                    .load(tx, ref)
                                    .thenApply(json -> new ClaimedJob<>(type, jobId, held, lock, json, codec));
                        }));
    }

    /** {@return the claim that a key names, without its data} */
    public CompletableFuture<Job<?>> claim(ReadTransactionContext context, ClaimKey claim) {
        JobType<?, ?> type = claim.type();
        JobRef ref = keyspace.job(type.name(), claim.jobId());
        return transactions
                .named("get claim", type.name())
                .read(
                        context,
                        tx -> JobTable.read(tx, ref).thenApply(row -> {
                            JobRow held = held(type, claim.jobId(), claim.lock(), row);
                            return new ClaimedJob<>(type, claim.jobId(), held, claim.lock(), null, codec);
                        }));
    }

    private static JobRow held(JobType<?, ?> type, String jobId, UUID lock, Optional<JobRow> row) {
        return row.filter(found -> found.isHeldBy(lock)).orElseThrow(() -> LostClaimErrors.of(type, jobId, lock, row));
    }

    /** {@return what was done for each claim; a lost claim does not disturb the others} */
    public CompletableFuture<List<Renewal>> updateAll(TransactionContext context, Collection<? extends Job<?>> given) {
        List<Job<?>> claims = List.copyOf(given);
        List<ClaimKey> keys = claims.stream()
                .map(job -> new ClaimKey(job.type(), ClaimedJob.of(job).id(), job.lock()))
                .toList();
        return renew(context, keys).thenApply(renewed -> {
            List<Renewal> renewals = new ArrayList<>(claims.size());
            for (int i = 0; i < claims.size(); i++) {
                Job<?> claim = claims.get(i);
                RenewedRow row = renewed.get(i);
                renewals.add(row.after()
                        .map(after -> new Renewal(ClaimedJob.of(claim).withRow(after), Optional.empty()))
                        .orElseGet(() -> new Renewal(claim, Optional.of(LostClaimErrors.of(claim, row.before())))));
            }
            return renewals;
        });
    }

    /** {@return why each claim is not renewed; empty for those that are} */
    public CompletableFuture<List<Optional<JobHaltedException>>> renewAll(
            TransactionContext context, Collection<ClaimKey> given) {
        List<ClaimKey> claims = List.copyOf(given);
        return renew(context, claims).thenApply(renewed -> {
            List<Optional<JobHaltedException>> halts = new ArrayList<>(claims.size());
            for (int i = 0; i < claims.size(); i++) {
                ClaimKey claim = claims.get(i);
                Optional<JobRow> before = renewed.get(i).before();
                halts.add(
                        renewed.get(i).after().isPresent()
                                ? Optional.empty()
                                : Optional.of(LostClaimErrors.of(claim.type(), claim.jobId(), claim.lock(), before)));
            }
            return halts;
        });
    }

    /** The row of a claim before, and after if the claim held. */
    private record RenewedRow(Optional<JobRow> before, Optional<JobRow> after) {}

    /** Renews claims in one transaction. The jobs of a type share an activity row. */
    private CompletableFuture<List<RenewedRow>> renew(TransactionContext context, List<ClaimKey> claims) {
        if (claims.size() > RENEWED_MAX) {
            throw new IllegalArgumentException("One call renews up to " + RENEWED_MAX + " claims; these are "
                    + claims.size() + ". Call it for parts of them.");
        }
        List<JobRef> refs = claims.stream()
                .map(claim -> keyspace.job(claim.type().name(), claim.jobId()))
                .toList();
        List<JobRef> distinctRefs = refs.stream().distinct().toList();
        List<TypeKeys> types = refs.stream().map(JobRef::keys).distinct().toList();
        return transactions
                .named("update", types.size() == 1 ? types.get(0).typeName() : "")
                .runOnce(
                        context,
                        types,
                        jobs -> jobs.editAll(distinctRefs, rows -> {
                            Map<JobRef, Optional<JobRow>> before = new HashMap<>();
                            for (int i = 0; i < rows.size(); i++) {
                                before.put(distinctRefs.get(i), rows.get(i));
                            }
                            return CompletableFuture.completedFuture(renew(jobs, claims, refs, before));
                        }));
    }

    private static List<RenewedRow> renew(
            JobStore jobs, List<ClaimKey> claims, List<JobRef> refs, Map<JobRef, Optional<JobRow>> rows) {
        Map<JobRef, JobRow> held = new LinkedHashMap<>();
        for (int i = 0; i < claims.size(); i++) {
            JobRef ref = refs.get(i);
            ClaimKey claim = claims.get(i);
            rows.getOrDefault(ref, Optional.empty())
                    .filter(row -> row.isHeldBy(claim.lock()))
                    .ifPresent(row -> held.put(ref, row));
        }
        Map<TypeKeys, Long> heldOfType =
                held.keySet().stream().collect(Collectors.groupingBy(JobRef::keys, Collectors.counting()));
        Map<JobRef, JobRow> renewed = new HashMap<>();
        List<RowChange> changes = new ArrayList<>(held.size());
        held.forEach((ref, row) -> {
            JobRow after = row.renewed(row.payload(), heldOfType.getOrDefault(ref.keys(), 0L) > 1);
            renewed.put(ref, after);
            changes.add(new RowChange(ref, row, after));
        });
        jobs.saveAll(changes);
        List<RenewedRow> results = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            UUID lock = claims.get(i).lock();
            results.add(new RenewedRow(
                    rows.getOrDefault(refs.get(i), Optional.empty()),
                    Optional.ofNullable(renewed.get(refs.get(i))).filter(row -> row.isHeldBy(lock))));
        }
        return results;
    }

    /** {@return when it is done} */
    public <D> CompletableFuture<@Nullable Void> finish(TransactionContext context, Job<D> job, @Nullable D data) {
        JobRef ref = ref(job);
        Optional<Payload> payload = encode(job, data);
        return transactions
                .named("finish", job.type().name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        jobs -> jobs.edit(ref, before -> {
                            JobRow row = Fence.held(jobs.tx(), job, before);
                            JobRow done = row.with(payload(row, payload));
                            return TypeRetention.ending(jobs.tx(), ref.keys(), job.type())
                                    .thenApply(type -> {
                                        jobs.save(ref, row, rowTransitions.after(type, done, SUCCEEDED));
                                        return null;
                                    });
                        }));
    }

    /**
     * Flags a running job to be pending again when it is finished. A job that this claim has already finished, and that
     * has not been claimed since, is pending at once, unless another job has its unique key.
     */
    public <D> CompletableFuture<Job<D>> resubmit(
            TransactionContext context, Job<D> job, OptionalLong scheduledTime, @Nullable D data) {
        JobRef ref = ref(job);
        Optional<Payload> payload = encode(job, data);
        Transactions.Verb<Job<D>> resubmit =
                jobs -> jobs.edit(ref, () -> TypeInUse.prefetch(jobs.tx(), ref.keys()), (before, foreseen) -> {
                    JobRow row = resubmittable(jobs.tx(), job, before);
                    long time = scheduledTime.orElse(row.scheduledTime());
                    if (row.isHeldBy(job.lock())) {
                        JobRow flagged = row.resubmitted(time).writtenByHolder(jobs.isJoined());
                        jobs.save(ref, row, flagged);
                        return CompletableFuture.completedFuture(resubmitted(job, flagged));
                    }
                    JobRow enqueued = row.enqueued(payload(row, payload), time);
                    JobRow again = enqueued.withOptions(enqueued.options().ownedSince(clock.millis()));
                    return UniqueIndex.saveIfFree(jobs, ref, row, again)
                            .thenApply(isSaved -> isSaved
                                    ? resubmitted(job, again)
                                    : ClaimedJob.of(job).withRow(row));
                });
        return transactions
                .named("resubmit", job.type().name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        resubmit.rereadBy(
                                tx -> JobTable.read(tx, ref).thenCompose(row -> resubmittedBefore(tx, job, row))));
    }

    private static <D> Job<D> resubmitted(Job<D> job, JobRow row) {
        return ClaimedJob.of(job).withRow(row).resubmitted();
    }

    /** {@return the claim after an earlier try has committed, also if the job has changed since} */
    private <D> CompletableFuture<Job<D>> resubmittedBefore(Transaction tx, Job<D> job, Optional<JobRow> row) {
        return row.filter(found -> isResubmittable(job, found))
                .map(found -> reread(tx, job, found)
                        .<Job<D>>thenApply(again -> ClaimedJob.of(again).resubmitted()))
                .orElseGet(() ->
                        CompletableFuture.completedFuture(ClaimedJob.of(job).resubmitted()));
    }

    /** {@return the claim as it is stored, with its data, which may be outside the job's row} */
    private <D> CompletableFuture<Job<D>> reread(Transaction tx, Job<D> job, JobRow row) {
        return row.payload()
                .load(tx, ref(job))
                .thenApply(json -> new ClaimedJob<>(job.type(), job.id(), row, job.lock(), json, codec));
    }

    private static JobRow resubmittable(Transaction tx, Job<?> job, Optional<JobRow> row) {
        return row.filter(found -> isResubmittable(job, found)).orElseThrow(() -> Fence.halt(tx, job, row));
    }

    private static boolean isResubmittable(Job<?> job, JobRow row) {
        return row.isHeldBy(job.lock()) || row.wasLastHeldBy(job.lock());
    }

    private JobRef ref(Job<?> job) {
        return keyspace.job(job.type().name(), ClaimedJob.of(job).id());
    }

    private <D> Optional<Payload> encode(Job<D> job, @Nullable D data) {
        return data == null ? Optional.empty() : Optional.of(codec.encode(job.type(), job.id(), data));
    }

    /** {@return the data of a row once its holder has written other data, if any} Data for the next run stays. */
    private static Payload payload(JobRow row, Optional<Payload> other) {
        Payload present = row.payload();
        return other.filter(data -> !present.isReplacing() && !present.isKnownToHold(data))
                .orElse(present);
    }
}
