package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.claims.LostClaimErrors;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.data.ActivityIndex;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.ClaimedJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends many claims in one transaction. Each claim ends with the disposition that its holder asked for. Lost claims are
 * skipped.
 *
 * <p>Like the verbs of {@link ProcessorVerbs} it reads each job's row so that it conflicts with a takeover, and
 * compares the lock. In a transaction of the library's own the {@link FinishResult} of a lost claim says so, and the
 * other claims end. In a transaction of the caller's a lost claim cancels that transaction, because the caller's writes
 * may commit only while the claim is held.
 */
public final class FinishTransaction {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final RowTransitions rowTransitions;

    public FinishTransaction(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.rowTransitions =
                new RowTransitions(instance.clock(), instance.environment().random());
    }

    /**
     * A claim that is to end.
     *
     * @param job the claim
     * @param disposition how it is to end
     */
    public record FinishRequest(Job<?> job, Disposition disposition) {}

    /**
     * The result of a request: the row that the end has written, or an error.
     *
     * @param after the job's row as the end left it: pending for another attempt, or finished
     * @param halt why nothing was written: the claim is lost, or it has ended before
     * @param isLost whether the claim is lost; it is not if it has ended before
     */
    public record FinishResult(
            @Nullable JobRow after, @Nullable JobHaltedException halt, boolean isLost) {}

    /**
     * Ends claims in one transaction, which is for the caller to keep within FoundationDB's limits: some hundreds of
     * claims, and some megabytes of results. Acts once, also when the result of a commit is unknown.
     *
     * @param context a database, or a transaction to join
     * @param type the type of all the jobs
     * @param requests the claims
     * @param activityRows shared activity rows that count no jobs once these claims have ended; they are cleared
     * @return the result of each request, in their order; in a transaction of the caller's it fails with
     *     {@link JobHaltedException} if any claim is lost
     */
    public CompletableFuture<List<FinishResult>> endAll(
            TransactionContext context,
            JobType<?, ?> type,
            List<FinishRequest> requests,
            Collection<Versionstamp> activityRows) {
        requests.forEach(request -> ClaimedJob.of(request.job()));
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named("end", type.name())
                .runOnce(
                        context,
                        List.of(keys),
                        jobs -> write(jobs, type, requests, activityRows, results -> {
                            if (jobs.isJoined()) {
                                haltIfAnyIsLost(jobs.tx(), results);
                            }
                        }));
    }

    /**
     * Ends one claim in a transaction that others retry, and that looks for the token before it is tried again, see
     * {@link dev.couchjobs.internal.data.TokenSearch}.
     *
     * @return when it is written; fails with {@link JobHaltedException} if the claim is lost
     */
    public CompletableFuture<?> endIn(
            Transaction tx,
            JobType<?, ?> type,
            FinishRequest request,
            Collection<Versionstamp> activityRows,
            long token) {
        return transactions.run(
                tx,
                joined -> write(
                        JobTransaction.of(joined).withToken(token),
                        type,
                        List.of(request),
                        activityRows,
                        results -> haltIfAnyIsLost(joined, results)));
    }

    /**
     * Writes ends.
     *
     * @param check receives the results before anything is written
     */
    private CompletableFuture<List<FinishResult>> write(
            JobTransaction jobs,
            JobType<?, ?> type,
            List<FinishRequest> requests,
            Collection<Versionstamp> activityRows,
            Consumer<List<FinishResult>> check) {
        TypeKeys keys = keyspace.type(type.name());
        List<JobRef> refs = requests.stream()
                .map(request -> request.job().id())
                .distinct()
                .map(id -> keyspace.job(type.name(), id))
                .toList();
        return jobs.editAll(refs, rows -> {
            Batch batch = new Batch(type, refs, rows);
            List<FinishResult> results = requests.stream().map(batch::end).toList();
            check.accept(results);
            jobs.saveAll(batch.changes);
            activityRows.forEach(sequence -> ActivityIndex.clear(jobs.tx(), keys, sequence));
            return CompletableFuture.completedFuture(results);
        });
    }

    /**
     * Ends one claim.
     *
     * @return the job's row as the end left it; fails with {@link JobHaltedException} if the claim is lost
     */
    public CompletableFuture<JobRow> end(
            TransactionContext context, JobType<?, ?> type, Job<?> job, Disposition disposition) {
        return endAll(context, type, List.of(new FinishRequest(job, disposition)), List.of())
                .thenApply(results -> {
                    FinishResult only = results.get(0);
                    if (only.halt() != null) {
                        throw only.halt();
                    }
                    return Objects.requireNonNull(only.after());
                });
    }

    private static void haltIfAnyIsLost(Transaction tx, List<FinishResult> results) {
        for (FinishResult result : results) {
            if (result.halt() != null) {
                tx.cancel();
                throw result.halt();
            }
        }
    }

    /** The rows of the jobs as they are while one claim after the other ends. */
    private final class Batch {
        private final JobType<?, ?> type;
        private final Map<String, Optional<JobRow>> now = new HashMap<>();
        private final List<RowChange> changes = new ArrayList<>();

        Batch(JobType<?, ?> type, List<JobRef> refs, List<Optional<JobRow>> rows) {
            this.type = type;
            for (int i = 0; i < refs.size(); i++) {
                now.put(refs.get(i).id(), rows.get(i));
            }
        }

        FinishResult end(FinishRequest request) {
            Job<?> job = request.job();
            Optional<JobRow> row = now.getOrDefault(job.id(), Optional.empty());
            if (row.isEmpty() || !row.get().isHeldBy(job.lock())) {
                boolean hasEnded =
                        row.filter(found -> found.wasLastHeldBy(job.lock())).isPresent();
                return new FinishResult(null, LostClaimErrors.of(job, row), !hasEnded);
            }
            JobRow after = rowTransitions.after(type, row.get(), request.disposition());
            now.put(job.id(), Optional.of(after));
            changes.add(new RowChange(keyspace.job(type.name(), job.id()), row.get(), after));
            return new FinishResult(after, null, false);
        }
    }
}
