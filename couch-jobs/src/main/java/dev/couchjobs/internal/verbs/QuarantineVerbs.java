package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.QuarantinedRow;
import dev.couchjobs.internal.dependencies.Dependents;
import dev.couchjobs.internal.dependencies.OrphanedDependents;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.history.AttemptLog;
import dev.couchjobs.internal.history.JobLog;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** The verbs for rows in quarantine: to list them, to remove them, and to restore them. */
public final class QuarantineVerbs {
    private static final int STAMP_BYTES = 12;

    private final Keyspace keyspace;
    private final Transactions transactions;
    private final InstantSource clock;

    public QuarantineVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.clock = instance.environment().clock();
    }

    /** {@return a page of the rows, in the order of their arrival} */
    public CompletableFuture<Page<QuarantinedRow>> page(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest request) {
        if (request.isNewestFirst()) {
            throw new IllegalArgumentException(
                    "Rows in quarantine are listed in the order in which they came: ask without newestFirst().");
        }
        TypeKeys keys = keyspace.type(type.name());
        Optional<Versionstamp> after = request.after().map(QuarantineVerbs::stamp);
        return new BatchSize(request.limit())
                .run(tries -> transactions
                        .named("list quarantine of", type.name())
                        .read(
                                context,
                                tx -> tries.next(size ->
                                        Quarantine.list(tx, keys, after, size).thenApply(found -> page(found, size)))));
    }

    private static Page<QuarantinedRow> page(List<Quarantine.Entry> found, int size) {
        List<QuarantinedRow> rows = found.stream()
                .map(entry -> new QuarantinedRow(text(entry.id()), entry.row(), entry.reason()))
                .toList();
        return new Page<>(
                rows,
                rows.size() < size
                        ? Optional.empty()
                        : Optional.of(rows.get(rows.size() - 1).id()));
    }

    private static String text(Versionstamp id) {
        return HexFormat.of().formatHex(id.getBytes());
    }

    private static Versionstamp stamp(String id) {
        try {
            byte[] bytes = HexFormat.of().parseHex(id);
            if (bytes.length == STAMP_BYTES) {
                return Versionstamp.fromBytes(bytes);
            }
        } catch (IllegalArgumentException e) {
            throw unknown(id);
        }
        throw unknown(id);
    }

    private static IllegalArgumentException unknown(String id) {
        return new IllegalArgumentException(
                "\"" + id + "\" is no id of a row in quarantine: pass one that quarantined has returned, unchanged.");
    }

    /** A change of a row in quarantine. */
    @FunctionalInterface
    private interface Step {
        /** {@return whether the row was changed} */
        CompletableFuture<Boolean> apply(Transaction tx, TypeKeys keys, Versionstamp stamp, KeyValue row);
    }

    /**
     * Applies a step to a row. If the row is gone, an earlier try with an unknown result may have applied the step.
     */
    private CompletableFuture<Boolean> withRow(
            TransactionContext context, String purpose, JobType<?, ?> type, String id, Step step) {
        Versionstamp stamp = stamp(id);
        TypeKeys keys = keyspace.type(type.name());
        AtomicBoolean wasDone = new AtomicBoolean();
        return transactions
                .named(purpose, type.name())
                .run(
                        context,
                        tx -> Quarantine.peek(tx, keys, stamp)
                                .thenCompose(row -> row.isEmpty()
                                        ? CompletableFuture.completedFuture(wasDone.get())
                                        : step.apply(tx, keys, stamp, row.get()).thenApply(done -> {
                                            wasDone.set(done);
                                            return done;
                                        })));
    }

    /** {@return whether the row was in quarantine} */
    public CompletableFuture<Boolean> remove(TransactionContext context, JobType<?, ?> type, String id) {
        return withRow(context, "remove quarantined", type, id, (tx, keys, stamp, row) -> {
            Quarantine.clear(tx, keys, stamp);
            return forget(tx, keys, row).thenApply(done -> true);
        });
    }

    /** Removes the other rows of a job whose own row is removed, unless another job has the id. */
    private CompletableFuture<?> forget(Transaction tx, TypeKeys keys, KeyValue row) {
        Optional<JobRef> job = JobRef.ofRow(keys, row.getKey());
        JobStore jobs = JobStore.of(tx);
        return job.isEmpty()
                ? CompletableFuture.completedFuture(row)
                : jobs.edit(job.get(), now -> {
                    if (now.isPresent()) {
                        return OrphanedDependents.notifyDependents(tx, job.get(), now);
                    }
                    Payload.clear(tx, job.get());
                    AttemptLog.clear(tx, job.get());
                    JobLog.clear(tx, job.get());
                    return Dependents.awaitedBy(tx, keyspace, job.get())
                            .thenCompose(awaited -> awaited.unlinkAll(tx))
                            .thenCompose(done -> OrphanedDependents.notifyDependents(tx, job.get(), now));
                });
    }

    /** {@return whether the row is restored; not if another row has its key, or it was not in quarantine} */
    public CompletableFuture<Boolean> restore(TransactionContext context, JobType<?, ?> type, String id) {
        return withRow(context, "restore quarantined", type, id, this::restore);
    }

    private CompletableFuture<Boolean> restore(Transaction tx, TypeKeys keys, Versionstamp stamp, KeyValue row) {
        return tx.get(row.getKey()).thenCompose(present -> {
            if (present != null) {
                return CompletableFuture.completedFuture(false);
            }
            Optional<JobRef> job = JobRef.ofRow(keys, row.getKey());
            if (job.isEmpty()) {
                Quarantine.clear(tx, keys, stamp);
                tx.set(row.getKey(), row.getValue());
                return CompletableFuture.completedFuture(true);
            }
            JobRow was = JobTable.decode(job.get(), row);
            Quarantine.clear(tx, keys, stamp);
            return runnable(tx, job.get(), was)
                    .thenAccept(now -> JobStore.of(tx).restore(job.get(), was, now))
                    .thenApply(done -> true);
        });
    }

    /** A running job no longer has a claim, and the dependencies of a blocked job may have ended. */
    private CompletableFuture<JobRow> runnable(Transaction tx, JobRef job, JobRow was) {
        if (was.state() == JobState.RUNNING) {
            return CompletableFuture.completedFuture(was.requeued(clock.millis(), was.scheduledTime()));
        }
        return Standing.of(was).waitsForDependencies()
                ? Dependents.awaitedBy(tx, keyspace, job)
                        .thenApply(awaited -> awaited.rows().isEmpty()
                                ? was.withOptions(was.options().blocked(false))
                                : was)
                : CompletableFuture.completedFuture(was);
    }
}
