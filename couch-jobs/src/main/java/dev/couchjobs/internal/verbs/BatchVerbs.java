package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AddResult;
import dev.couchjobs.Batch;
import dev.couchjobs.BatchInfo;
import dev.couchjobs.BatchNotFoundException;
import dev.couchjobs.BatchRoleException;
import dev.couchjobs.BatchState;
import dev.couchjobs.BatchStateException;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.batches.BatchCounters;
import dev.couchjobs.internal.batches.BatchRow;
import dev.couchjobs.internal.batches.BatchSettlement;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.observe.MiddlewareChain;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The verbs of batches. Each leaves the same state if it runs twice. */
public final class BatchVerbs {
    private static final int MEMBERS_MAX = 100;

    private final Instance instance;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final BatchSettlement settlement;
    private final CreatorVerbs creatorVerbs;
    private final RowTransitions rowTransitions;

    public BatchVerbs(Instance instance) {
        this.instance = instance;
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.settlement = new BatchSettlement(keyspace);
        this.creatorVerbs = new CreatorVerbs(instance);
        this.rowTransitions =
                new RowTransitions(instance.clock(), instance.environment().random());
    }

    /** Requires that the batches of jobs take members, and that no member waits for the closing job. */
    static CompletableFuture<?> requireOpen(
            Transaction tx, Keyspace keyspace, Collection<? extends NewJob<?>> newJobs) {
        Map<String, List<NewJob<?>>> members = new LinkedHashMap<>();
        newJobs.forEach(job -> job.batch()
                .ifPresent(batch -> members.computeIfAbsent(batch, name -> new ArrayList<>())
                        .add(job)));
        return Futures.allOf(members.entrySet().stream()
                .map(batch -> BatchRow.find(tx, keyspace, batch.getKey())
                        .thenAccept(row -> requireOpen(keyspace, batch.getKey(), row, batch.getValue())))
                .toList());
    }

    private static void requireOpen(
            Keyspace keyspace, String batch, Optional<BatchRow> found, List<NewJob<?>> members) {
        BatchRow row = found.orElseThrow(() -> new BatchNotFoundException(batch));
        if (!row.mayClose()) {
            throw new BatchStateException(
                    batch, row.state(), "it takes no more jobs. Add the job to another batch, or to none.");
        }
        members.stream()
                .flatMap(job -> job.dependencies().stream())
                .map(dependency -> keyspace.job(dependency.typeName(), dependency.jobId()))
                .filter(row::isClosedBy)
                .findFirst()
                .ifPresent(closing -> {
                    throw new BatchRoleException("Job " + closing + " closes batch " + batch
                            + " once the members have ended, so no member can wait for it."
                            + " Take it out of the dependencies, or the job out of the batch.");
                });
    }

    /** {@return the batch; one that exists stays as it is} */
    public CompletableFuture<BatchInfo> open(TransactionContext context, Batch batch) {
        ThreadTransaction.requireJoined(context);
        MiddlewareChain middleware = instance.middleware();
        if (middleware.isEmpty() || batch.closing().isEmpty()) {
            return opened(context, batch).thenApply(Opened::info);
        }
        AtomicReference<@Nullable Opened> opened = new AtomicReference<>();
        return middleware
                .add(
                        List.of(batch.closing().get()),
                        given -> opened(context, batch.closing(given.get(0))).thenApply(result -> {
                            opened.set(result);
                            return result.added();
                        }))
                .thenApply(results -> Objects.requireNonNull(
                                opened.get(), "Middleware has not called next: throw an error to refuse the batch.")
                        .info());
    }

    /**
     * A batch that is open.
     *
     * @param added the result of the addition of its closing job, if it has one
     */
    private record Opened(BatchInfo info, List<AddResult> added) {}

    private CompletableFuture<Opened> opened(TransactionContext context, Batch batch) {
        String name = batch.name();
        Optional<CreatorVerbs.ClosingJob> closing = batch.closing().map(job -> creatorVerbs.closing(job, name));
        return inOrder(
                "open batch",
                context,
                name,
                closing.map(CreatorVerbs.ClosingJob::types).orElse(List.of()),
                jobs -> {
                    Transaction tx = jobs.tx();
                    CompletableFuture<?> raised =
                            new LayoutRow(keyspace).raise(tx, layout -> layout.with(Feature.BATCHES));
                    return BatchRow.find(tx, keyspace, name)
                            .thenCompose(row -> raised.thenCompose(done -> {
                                if (row.isPresent()) {
                                    List<AddResult> unchanged = closing.stream()
                                            .map(job -> new AddResult(
                                                    job.ref().id(),
                                                    AddResult.Change.UNCHANGED,
                                                    AddResult.GivenData.DISCARDED))
                                            .toList();
                                    return info(tx, name, row.get()).thenApply(found -> new Opened(found, unchanged));
                                }
                                BatchRow opened = new BatchRow(
                                        BatchState.OPEN,
                                        batch.closesAtFirstFailure(),
                                        closing.map(job -> job.ref().keys().typeName())
                                                .orElse(null),
                                        closing.map(job -> job.ref().id()).orElse(null));
                                BatchRow.clear(
                                        tx, keyspace, name); // members of an earlier batch of the name may have counted
                                opened.write(tx, keyspace, name);
                                BatchCounters.none().addOutstanding(1).save(tx, keyspace, name);
                                CompletableFuture<List<AddResult>> added = closing.isPresent()
                                        ? closing.get().addTo(jobs).thenApply(List::of)
                                        : CompletableFuture.completedFuture(List.of());
                                return added.thenCompose(
                                        all -> info(tx, name, opened).thenApply(found -> new Opened(found, all)));
                            }));
                });
    }

    /** {@return the batch, which takes members only until all have ended} */
    public CompletableFuture<BatchInfo> seal(TransactionContext context, String name) {
        return change(
                "seal batch",
                context,
                name,
                (tx, row) -> {
                    if (row.state() == BatchState.CANCELLED) {
                        throw new BatchStateException(name, row.state(), "it does not close.");
                    }
                    if (row.state() == BatchState.OPEN) {
                        row.with(BatchState.SEALED).write(tx, keyspace, name);
                        BatchCounters.none().addOutstanding(-1).save(tx, keyspace, name);
                    }
                    return CompletableFuture.completedFuture(row);
                },
                tx -> settlement.sealed(tx, transactions::runLater, name).thenCompose(done -> stored(tx, name)));
    }

    private CompletableFuture<BatchInfo> stored(Transaction tx, String name) {
        return BatchRow.find(tx.snapshot(), keyspace, name)
                .thenCompose(row -> info(tx.snapshot(), name, row.orElseThrow(() -> new BatchNotFoundException(name))));
    }

    /** {@return the batch, if there is one} */
    public CompletableFuture<Optional<BatchInfo>> get(ReadTransactionContext context, String name) {
        Name.BATCH.known(name);
        return transactions
                .named("get batch", "")
                .read(
                        context,
                        tx -> BatchRow.find(tx, keyspace, name)
                                .thenCompose(row -> row.map(
                                                found -> info(tx, name, found).thenApply(Optional::of))
                                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()))));
    }

    private CompletableFuture<BatchInfo> info(ReadTransaction tx, String name, BatchRow row) {
        return BatchCounters.read(tx, keyspace, name)
                .thenApply(counters -> new BatchInfo(
                        name,
                        row.state(),
                        Optional.ofNullable(row.closingId()),
                        counters.outstanding() - (row.state() == BatchState.OPEN ? 1 : 0),
                        counters.succeeded(),
                        counters.failed(),
                        counters.cancelled(),
                        counters.expired(),
                        counters.removed()));
    }

    /** {@return how many members were cancelled} */
    public CompletableFuture<Long> cancel(String name, String reason) {
        Objects.requireNonNull(reason, "reason");
        Name.BATCH.known(name);
        Change<Boolean> end = (tx, row) -> {
            if (row.state() == BatchState.CLOSED) {
                throw new BatchStateException(name, row.state(), "cancel its members one by one.");
            }
            if (row.state() == BatchState.CANCELLED) {
                return CompletableFuture.completedFuture(true);
            }
            return settlement
                    .end(tx, name, row, BatchState.CANCELLED)
                    .thenCompose(done -> row.closing(keyspace)
                            .map(ref -> cancelReadable(JobStore.of(tx), ref, reason))
                            .orElseGet(() -> CompletableFuture.completedFuture(true)));
        };
        return transactions
                .named("cancel batch", "")
                .runOnce(instance.database(), List.of(), inOrder(name, jobs -> changed(jobs.tx(), name, end)))
                .thenCompose(done -> new MembersCancellation(name, reason).run());
    }

    /** Cancels a job, unless its row is damaged: that must not keep the others from being cancelled. */
    private CompletableFuture<Boolean> cancelReadable(JobStore jobs, JobRef ref, String reason) {
        JobType<?, ?> type = JobType.of(ref.keys().typeName(), Object.class);
        return JobAction.cancel(keyspace, rowTransitions, type, reason)
                .apply(jobs, ref)
                .exceptionallyCompose(error -> RootCauses.of(error) instanceof UndecodableRowException
                        ? CompletableFuture.completedFuture(false)
                        : CompletableFuture.failedFuture(error));
    }

    /** Cancels the members of a batch that have not ended, some in each transaction. */
    private final class MembersCancellation {
        private final String name;
        private final String reason;
        private final BatchSize batchSize = new BatchSize(MEMBERS_MAX);
        // Touched by one transaction at a time.
        private long cancelled;
        private Optional<byte[]> last = Optional.empty();

        MembersCancellation(String name, String reason) {
            this.name = name;
            this.reason = reason;
        }

        CompletableFuture<Long> run() {
            return GuardedExecutor.whileTrue(this::page, instance.executor()).thenApply(done -> cancelled);
        }

        private record Part(long cancelled, Optional<byte[]> last) {}

        private CompletableFuture<Boolean> page() {
            return batchSize
                    .run(tries -> transactions
                            .named("cancel batch", "")
                            .run(instance.database(), tx -> tries.next(limit -> cancel(tx, limit))))
                    .thenApply(part -> {
                        cancelled += part.cancelled();
                        last = part.last();
                        return last.isPresent();
                    });
        }

        private CompletableFuture<Part> cancel(Transaction tx, int limit) {
            return BatchRow.members(tx.snapshot(), keyspace, name, last, limit).thenCompose(page -> {
                JobStore jobs = JobStore.of(tx);
                List<CompletableFuture<Boolean>> cancellations = page.members().stream()
                        .map(ref -> cancelReadable(jobs, ref, reason))
                        .toList();
                return Futures.allOf(cancellations)
                        .thenApply(done -> new Part(
                                cancellations.stream()
                                        .filter(CompletableFuture::join)
                                        .count(),
                                page.last()));
            });
        }
    }

    /** {@return whether there was such a batch} */
    public CompletableFuture<Boolean> remove(TransactionContext context, String name) {
        Name.BATCH.known(name);
        return inOrder("remove batch", context, name, List.of(), jobs -> {
            Transaction tx = jobs.tx();
            return BatchRow.find(tx, keyspace, name)
                    .thenCombine(BatchCounters.read(tx, keyspace, name), (row, counters) -> {
                        if (row.isPresent() && (row.get().mayClose() || counters.outstanding() > 0)) {
                            throw new BatchStateException(
                                    name, row.get().state(), "it has jobs that have not ended. Cancel it first.");
                        }
                        BatchRow.clear(tx, keyspace, name);
                        return row.isPresent();
                    });
        });
    }

    private interface Change<T> {
        CompletableFuture<T> apply(Transaction tx, BatchRow row);
    }

    /** @param then follows the change in its transaction, behind those of other verbs that have begun */
    private <T, U> CompletableFuture<U> change(
            String verb,
            TransactionContext context,
            String name,
            Change<T> change,
            Function<Transaction, CompletableFuture<U>> then) {
        Name.BATCH.known(name);
        return transactions
                .named(verb, "")
                .runOnce(
                        context,
                        List.of(),
                        jobs -> jobs.inOrder(
                                        List.of(BatchRow.key(keyspace, name)), () -> changed(jobs.tx(), name, change))
                                .thenCompose(done -> then.apply(jobs.tx())));
    }

    private <T> CompletableFuture<T> changed(Transaction tx, String name, Change<T> change) {
        return BatchRow.find(tx, keyspace, name)
                .thenCompose(row -> change.apply(tx, row.orElseThrow(() -> new BatchNotFoundException(name))));
    }

    /** Verbs for one batch in one transaction run in the order of the calls. */
    private <T> CompletableFuture<T> inOrder(
            String verb,
            TransactionContext context,
            String name,
            List<TypeKeys> types,
            Function<JobStore, CompletableFuture<T>> body) {
        return transactions.named(verb, "").runOnce(context, types, inOrder(name, body));
    }

    private <T> Transactions.Verb<T> inOrder(String name, Function<JobStore, CompletableFuture<T>> body) {
        return jobs -> jobs.inOrder(List.of(BatchRow.key(keyspace, name)), () -> body.apply(jobs));
    }
}
