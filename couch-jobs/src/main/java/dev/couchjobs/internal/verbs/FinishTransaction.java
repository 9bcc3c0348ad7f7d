package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.claims.LostClaimErrors;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.descent.Descent;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TransactionScope;
import dev.couchjobs.internal.rows.TypeKeys;
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
     * @param type the job's type, by whose retry policy and retention the claim ends
     * @param job the claim
     * @param disposition how it is to end
     */
    public record FinishRequest(JobType<?, ?> type, Job<?> job, Disposition disposition) {
        /** A claim that is to end by the type under which it was made. */
        public FinishRequest(Job<?> job, Disposition disposition) {
            this(job.type(), job, disposition);
        }
    }

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
     * @param requests the claims, at least one
     * @param activityRows the keys of shared activity rows that count no jobs once these claims have ended; they are
     *     cleared
     * @return the result of each request, in their order; in a transaction of the caller's it fails with
     *     {@link JobHaltedException} if any claim is lost
     */
    public CompletableFuture<List<FinishResult>> endAll(
            TransactionContext context, List<FinishRequest> requests, Collection<byte[]> activityRows) {
        requests.forEach(request -> ClaimedJob.of(request.job()));
        List<String> typeNames = requests.stream()
                .map(request -> request.type().name())
                .distinct()
                .toList();
        return transactions
                .named("end", typeNames.size() == 1 ? typeNames.get(0) : "")
                .runOnce(
                        context,
                        typeNames.stream().map(keyspace::type).toList(),
                        jobs -> write(jobs, requests, activityRows, results -> {
                            if (jobs.isJoined()) {
                                haltIfAnyIsLost(jobs.tx(), results);
                            }
                        }));
    }

    /** Ends claims, as {@link #endAll} does, in a transaction of the library's own that has further parts. */
    public CompletableFuture<List<FinishResult>> endAllIn(
            JobStore jobs, List<FinishRequest> requests, Collection<byte[]> activityRows) {
        return transactions.settle(jobs.tx(), write(jobs, requests, activityRows, results -> {}));
    }

    /**
     * Ends one claim in a transaction that others retry, and that looks for the token before it is tried again, see
     * {@link dev.couchjobs.internal.feed.TokenSearch}.
     *
     * @return when it is written; fails with {@link JobHaltedException} if the claim is lost
     */
    public CompletableFuture<?> endIn(
            Transaction tx, FinishRequest request, Collection<byte[]> activityRows, long token) {
        return transactions.run(
                tx,
                joined -> write(
                        JobStore.of(joined).withToken(token),
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
            JobStore jobs,
            List<FinishRequest> requests,
            Collection<byte[]> activityRows,
            Consumer<List<FinishResult>> check) {
        List<JobRef> refs = requests.stream().map(this::ref).toList();
        List<JobRef> distinctRefs = refs.stream().distinct().toList();
        return jobs.editAll(distinctRefs, () -> endingTypes(jobs.tx(), requests, refs), (rows, types) -> {
            Batch batch = new Batch(distinctRefs, rows);
            List<FinishResult> results = new ArrayList<>(requests.size());
            for (int i = 0; i < requests.size(); i++) {
                results.add(batch.end(requests.get(i), types.get(i), refs.get(i)));
            }
            check.accept(results);
            batch.changes.forEach(change -> Descent.usedByHolder(jobs.tx(), Objects.requireNonNull(change.before())));
            jobs.saveAll(batch.changes);
            activityRows.forEach(jobs.tx()::clear);
            return CompletableFuture.completedFuture(results);
        });
    }

    /** {@return the types of the requests, in their order, with the retentions that their jobs get} */
    private static CompletableFuture<List<JobType<?, ?>>> endingTypes(
            Transaction tx, List<FinishRequest> requests, List<JobRef> refs) {
        Map<TypeKeys, CompletableFuture<Optional<Retention>>> stored = new HashMap<>();
        List<CompletableFuture<Optional<Retention>>> retentions = refs.stream()
                .map(ref -> stored.computeIfAbsent(ref.keys(), keys -> TypeRetention.whileEnding(tx, keys)))
                .toList();
        return Futures.allOf(stored.values()).thenApply(done -> {
            List<JobType<?, ?>> types = new ArrayList<>(requests.size());
            for (int i = 0; i < requests.size(); i++) {
                types.add(TypeRetention.with(
                        retentions.get(i).join(), requests.get(i).type()));
            }
            return types;
        });
    }

    /** {@return the job of a request} */
    public JobRef ref(FinishRequest request) {
        return keyspace.job(request.type().name(), request.job().id());
    }

    /**
     * Ends one claim.
     *
     * @return the job's row as the end left it; fails with {@link JobHaltedException} if the claim is lost
     */
    public CompletableFuture<JobRow> end(TransactionContext context, FinishRequest request) {
        return endAll(context, List.of(request), List.of()).thenApply(results -> {
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
                TransactionScope.cancel(tx, result.halt());
                throw result.halt();
            }
        }
    }

    /** The rows of the jobs as they are while one claim after the other ends. */
    private final class Batch {
        private final Map<JobRef, Optional<JobRow>> now = new HashMap<>();
        private final List<RowChange> changes = new ArrayList<>();

        Batch(List<JobRef> refs, List<Optional<JobRow>> rows) {
            for (int i = 0; i < refs.size(); i++) {
                now.put(refs.get(i), rows.get(i));
            }
        }

        FinishResult end(FinishRequest request, JobType<?, ?> type, JobRef ref) {
            Job<?> job = request.job();
            Optional<JobRow> row = now.getOrDefault(ref, Optional.empty());
            if (row.isEmpty() || !row.get().isHeldBy(job.lock())) {
                boolean hasEnded =
                        row.filter(found -> found.wasLastHeldBy(job.lock())).isPresent();
                return new FinishResult(null, LostClaimErrors.of(job, row), !hasEnded);
            }
            JobRow after = rowTransitions.after(type, row.get(), request.disposition());
            now.put(ref, Optional.of(after));
            changes.add(new RowChange(ref, row.get(), after));
            return new FinishResult(after, null, false);
        }
    }
}
