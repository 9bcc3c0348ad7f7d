package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.ActivityIndex;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends claims, many in one transaction: each of them as its holder wants, or not at all if it is lost.
 *
 * <p>Like the verbs of {@link Processing} it reads each job's row so that it conflicts with a takeover, and compares
 * the lock. In a transaction of the library's own a lost claim is told of and does not disturb the others; in a
 * transaction of the caller's it cancels that transaction, because the caller's writes stand or fall with the claim.
 */
public final class Ends {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final NextRows nextRows;

    public Ends(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.nextRows = new NextRows(instance);
    }

    /**
     * A claim that is to end.
     *
     * @param job the claim
     * @param how how it is to end
     */
    public record End(Job<?> job, How how) {}

    /**
     * What became of a claim that was to end. One of the two is there.
     *
     * @param after the job's row as the end left it: pending for another attempt, or finished
     * @param halt why the claim did not end as it was asked: it was lost, or, a
     *     {@link dev.couchjobs.JobAlreadyFinishedException}, had ended before
     */
    public record Ended(@Nullable JobRow after, @Nullable JobHaltedException halt) {
        /** {@return whether the claim was lost, so that nothing was written of its job} */
        public boolean isLost() {
            return halt != null;
        }
    }

    /**
     * Ends claims in one transaction, which is for the caller to keep within FoundationDB's limits: some hundreds of
     * claims, and some megabytes of results. Acts once, also when the result of a commit is unknown.
     *
     * @param context a database, or a transaction to join
     * @param type the type of all the jobs
     * @param ends the claims
     * @param activityRows rows of the activity index that stood for several claims and are of no use any more once
     *     these have ended; they are cleared as well
     * @return what became of each claim, in the order of {@code ends}; in a transaction of the caller's it fails with
     *     {@link JobHaltedException} if any claim is lost
     */
    public CompletableFuture<List<Ended>> endAll(
            TransactionContext context, JobType<?, ?> type, List<End> ends, Collection<Versionstamp> activityRows) {
        ends.forEach(end -> ClaimedJob.of(end.job()));
        TypeKeys keys = keyspace.type(type.name());
        boolean joined = context instanceof Transaction;
        // Of several tries at most the last can have committed, or a later one would have found that out.
        AtomicReference<List<Ended>> lastTry = new AtomicReference<>(List.of());
        return transactions
                .named("end", type.name())
                .runOnce(
                        context,
                        keys,
                        tx -> CompletableFuture.completedFuture(lastTry.get()),
                        (tx, token) -> write(tx, type, ends, activityRows, token, ended -> {
                            if (joined) {
                                haltIfAnyIsLost(tx, ended);
                            }
                            lastTry.set(ended);
                        }));
    }

    /**
     * Ends one claim in a transaction that others retry, and that looks for the token before it is tried again, see
     * {@link dev.couchjobs.internal.data.TokenSearch}.
     *
     * @return when it is written; fails with {@link JobHaltedException} if the claim is lost
     */
    public CompletableFuture<?> endIn(
            Transaction tx, JobType<?, ?> type, End end, Collection<Versionstamp> activityRows, long token) {
        OptionalLong known = OptionalLong.of(token);
        return transactions.run(
                tx,
                same -> write(same, type, List.of(end), activityRows, known, ended -> haltIfAnyIsLost(same, ended)));
    }

    /**
     * Writes ends.
     *
     * @param check is given what becomes of the claims before anything is written
     */
    private CompletableFuture<List<Ended>> write(
            Transaction tx,
            JobType<?, ?> type,
            List<End> ends,
            Collection<Versionstamp> activityRows,
            OptionalLong token,
            Consumer<List<Ended>> check) {
        TypeKeys keys = keyspace.type(type.name());
        List<JobRef> refs = ends.stream()
                .map(end -> end.job().id())
                .distinct()
                .map(id -> keyspace.job(type.name(), id))
                .toList();
        return JobTable.editAll(tx, refs, rows -> {
            Batch batch = new Batch(type, refs, rows);
            List<Ended> ended = ends.stream().map(batch::end).toList();
            check.accept(ended);
            JobTable.saveAll(tx, keys, batch.steps, token);
            activityRows.forEach(sequence -> ActivityIndex.clear(tx, keys, sequence));
            return CompletableFuture.completedFuture(ended);
        });
    }

    /**
     * Ends one claim.
     *
     * @return the job's row as the end left it; fails with {@link JobHaltedException} if the claim is lost
     */
    public CompletableFuture<JobRow> end(TransactionContext context, JobType<?, ?> type, Job<?> job, How how) {
        return endAll(context, type, List.of(new End(job, how)), List.of()).thenApply(ended -> {
            Ended only = ended.get(0);
            if (only.halt() != null) {
                throw only.halt();
            }
            return Objects.requireNonNull(only.after());
        });
    }

    private static void haltIfAnyIsLost(Transaction tx, List<Ended> ended) {
        for (Ended each : ended) {
            if (each.halt() != null) {
                tx.cancel();
                throw each.halt();
            }
        }
    }

    /** The rows of the jobs as they are while one claim after the other ends. */
    private final class Batch {
        private final JobType<?, ?> type;
        private final Map<String, Optional<JobRow>> now = new HashMap<>();
        private final List<JobTable.Step> steps = new ArrayList<>();

        Batch(JobType<?, ?> type, List<JobRef> refs, List<Optional<JobRow>> rows) {
            this.type = type;
            for (int i = 0; i < refs.size(); i++) {
                now.put(refs.get(i).id(), rows.get(i));
            }
        }

        Ended end(End end) {
            Job<?> job = end.job();
            Optional<JobRow> row = now.getOrDefault(job.id(), Optional.empty());
            if (row.isEmpty() || !row.get().isHeldBy(job.lock())) {
                return new Ended(null, Halts.of(job, row));
            }
            JobRow after = nextRows.after(type, row.get(), end.how());
            now.put(job.id(), Optional.of(after));
            steps.add(new JobTable.Step(keyspace.job(type.name(), job.id()), row.get(), after));
            return new Ended(after, null);
        }
    }
}
