package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.internal.activity.ActivityIndex;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Observers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Puts the jobs of silent processors back into the queue, for one type. */
final class SilentJobs {
    private static final int BATCH_MAX = 100;

    private final Database database;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final Supplier<JobType<?, ?>> policy;
    private final RowTransitions rowTransitions;
    private final Function<Transaction, CompletableFuture<Boolean>> renewal;
    private final BatchSize batchSize = new BatchSize(BATCH_MAX);
    private final Observers<JobsListener> listeners;

    /** @param renewal renews the monitor lease, and returns whether this process holds it */
    SilentJobs(
            Instance instance,
            Transactions transactions,
            TypeKeys keys,
            Supplier<JobType<?, ?>> policy,
            Function<Transaction, CompletableFuture<Boolean>> renewal) {
        this.database = instance.database();
        this.keyspace = instance.keyspace();
        this.transactions = transactions;
        this.keys = keys;
        this.policy = policy;
        this.rowTransitions =
                new RowTransitions(instance.clock(), instance.environment().random());
        this.renewal = renewal;
        this.listeners = instance.listeners();
    }

    /**
     * Puts back the jobs whose last heartbeat is older than a version. The caller has just renewed the lease. Each
     * transaction but the first renews it again: together they may take longer than the lease lasts, and two processes
     * that put back the same jobs conflict.
     *
     * @return completes when all are put back, or another process holds the lease
     */
    CompletableFuture<@Nullable Void> requeue(Versionstamp silentSince) {
        return requeue(silentSince, tx -> CompletableFuture.completedFuture(true));
    }

    private CompletableFuture<@Nullable Void> requeue(
            Versionstamp silentSince, Function<Transaction, CompletableFuture<Boolean>> lease) {
        return batchSize
                .run(tries -> transactions.run(
                        database,
                        tx -> tries.next(size -> {
                            CompletableFuture<List<ActivityIndex.Entry>> rows =
                                    ActivityIndex.silentSince(tx, keys, silentSince, size);
                            return lease.apply(tx)
                                    .thenCompose(isHeld -> rows.thenCompose(silent -> isHeld
                                            ? requeueBatch(tx, silent, size)
                                            : CompletableFuture.completedFuture(new Requeued(0, false))));
                        })))
                .thenCompose(requeued -> {
                    report(requeued.jobs());
                    return requeued.mayBeMore()
                            ? requeue(silentSince, renewal)
                            : CompletableFuture.completedFuture(null);
                });
    }

    private void report(int jobs) {
        if (jobs > 0 && !listeners.isEmpty()) {
            JobsListener.Expired event = new JobsListener.Expired(keys.typeName(), jobs);
            listeners.report("expired", listener -> listener.expired(event));
        }
    }

    /**
     * The result of one transaction.
     *
     * @param jobs how many jobs were put back
     * @param mayBeMore whether there may be more
     */
    private record Requeued(int jobs, boolean mayBeMore) {}

    /** Puts back the jobs of as many rows as fit. */
    private CompletableFuture<Requeued> requeueBatch(Transaction tx, List<ActivityIndex.Entry> rows, int size) {
        List<ActivityIndex.Entry> fitting = fitting(rows, size);
        return enqueueAll(tx, fitting)
                .thenApply(jobs -> new Requeued(jobs, rows.size() == size || fitting.size() < rows.size()));
    }

    /** Returns the first rows that name this number of jobs, at least one row. */
    private static List<ActivityIndex.Entry> fitting(List<ActivityIndex.Entry> rows, int jobs) {
        int taken = 0;
        int sum = 0;
        while (taken < rows.size()
                && (taken == 0 || sum + rows.get(taken).jobIds().size() <= jobs)) {
            sum += rows.get(taken++).jobIds().size();
        }
        return rows.subList(0, taken);
    }

    /**
     * Puts back the jobs of the rows, and removes the rows, including those that name jobs that are not silent.
     *
     * @return how many jobs were put back
     */
    private CompletableFuture<Integer> enqueueAll(Transaction tx, List<ActivityIndex.Entry> rows) {
        Set<Versionstamp> sequences =
                rows.stream().map(ActivityIndex.Entry::sequence).collect(Collectors.toSet());
        List<JobRef> refs = rows.stream()
                .flatMap(row -> row.jobIds().stream())
                .distinct()
                .map(jobId -> keyspace.job(keys.typeName(), jobId))
                .toList();
        return JobStore.of(tx).editAll(refs, () -> TypeRetention.ending(tx, keys, policy.get()), (jobs, type) -> {
            List<RowChange> changes = new ArrayList<>(refs.size());
            for (int i = 0; i < refs.size(); i++) {
                JobRef ref = refs.get(i);
                jobs.get(i)
                        .filter(silent -> silent.sequence() != null && sequences.contains(silent.sequence()))
                        .ifPresent(silent -> {
                            JobStore.of(tx).conflictWithHeartbeats(ref);
                            changes.add(new RowChange(
                                    ref, silent, rowTransitions.after(type, silent, new Disposition.Expired())));
                        });
            }
            JobStore.of(tx).saveAll(changes);
            sequences.forEach(sequence -> ActivityIndex.clear(tx, keys, sequence));
            return CompletableFuture.completedFuture(changes.size());
        });
    }
}
