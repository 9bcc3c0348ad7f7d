package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobType;
import dev.couchjobs.NotIndexedException;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.ClaimRules;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.observe.UserCode;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.status.StatusIndex;
import dev.couchjobs.internal.status.StatusSettlement;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The verbs that index the jobs of a type by status, count and list them. */
public final class StatusVerbs {
    /** How many jobs a transaction of a build indexes at most. */
    private static final int JOBS_MAX = 500;

    private final Database database;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final RandomGenerator random;
    private final StaleRowRemoval staleRowRemoval;
    private final Executor executor;

    public StatusVerbs(Instance instance) {
        this.database = instance.database();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.random = instance.environment().random();
        this.staleRowRemoval = new StaleRowRemoval(instance);
        this.executor = instance.executor();
    }

    /** Builds the index of a type, or goes on with a build. */
    public CompletableFuture<Void> index(JobType<?, ?> type, LongConsumer progress) {
        LongConsumer listener = UserCode.longConsumer(Objects.requireNonNull(progress, "progress"));
        TypeKeys keys = keyspace.type(type.name());
        Transactions named = transactions.named("index by status", type.name());
        BatchSize batchSize = new BatchSize(JOBS_MAX);
        AtomicLong passed = new AtomicLong();
        return named.run(database, tx -> begin(tx, keys))
                .thenCompose(isComplete -> isComplete
                        ? CompletableFuture.completedFuture(null)
                        : GuardedExecutor.whileTrue(
                                () -> batchSize
                                        .run(tries -> named.run(database, tx -> tries.next(max -> next(tx, keys, max))))
                                        .thenApply(batch -> {
                                            listener.accept(passed.addAndGet(batch.count()));
                                            return batch.mayHaveMore();
                                        }),
                                executor));
    }

    /** {@return whether the index is complete already} */
    private CompletableFuture<Boolean> begin(Transaction tx, TypeKeys keys) {
        return StatusIndex.state(tx, keys).thenCompose(state -> {
            if (state != StatusIndex.State.NONE) {
                return CompletableFuture.completedFuture(state == StatusIndex.State.COMPLETE);
            }
            StatusIndex.begin(tx, keys);
            return markChange(tx).thenApply(marked -> false);
        });
    }

    /** Lets transactions read again which types have an index. */
    private CompletableFuture<@Nullable Void> markChange(Transaction tx) {
        long number = random.nextLong();
        return new LayoutRow(keyspace).raise(tx, layout -> layout.withSettings(Feature.STATUS_INDEX, number));
    }

    private record Batch(int count, boolean mayHaveMore) {}

    private CompletableFuture<Batch> next(Transaction tx, TypeKeys keys, int max) {
        return StatusIndex.state(tx, keys).thenCompose(state -> switch (state) {
            case COMPLETE -> CompletableFuture.completedFuture(new Batch(0, false));
            case BUILDING ->
                StatusSettlement.build(tx, keys, max)
                        .thenCompose(count -> count == max
                                ? CompletableFuture.completedFuture(new Batch(count, true))
                                : markChange(tx).thenApply(marked -> new Batch(count, false)));
            case NONE -> CompletableFuture.failedFuture(new NotIndexedException(keys.typeName(), false));
        });
    }

    /** Removes the index of a type. */
    public CompletableFuture<Void> drop(TransactionContext context, JobType<?, ?> type) {
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named("drop index of", type.name())
                .run(
                        context,
                        tx -> StatusIndex.state(tx, keys).thenCompose(state -> {
                            if (state == StatusIndex.State.NONE) {
                                return CompletableFuture.completedFuture(null);
                            }
                            StatusIndex.drop(tx, keys);
                            return markChange(tx);
                        }));
    }

    /** {@return the number of jobs with each status} */
    public CompletableFuture<Map<JobStatus, Long>> counts(ReadTransactionContext context, JobType<?, ?> type) {
        TypeKeys keys = keyspace.type(type.name());
        return transactions.named("count by status", type.name()).read(context, tx -> {
            CompletableFuture<Map<JobStatus, Long>> stored = StatusIndex.counts(tx, keys);
            return indexed(tx, keys, isPaused -> stored.thenApply(counts -> shown(counts, isPaused)));
        });
    }

    /** A read of an index that is complete. */
    @FunctionalInterface
    private interface IndexRead<T> {
        CompletableFuture<T> of(boolean isPaused);
    }

    private static <T> CompletableFuture<T> indexed(ReadTransaction tx, TypeKeys keys, IndexRead<T> read) {
        CompletableFuture<ClaimRules> rules = ClaimRules.ofClaim(tx, keys);
        return StatusIndex.state(tx, keys)
                .thenCompose(state -> state == StatusIndex.State.COMPLETE
                        ? rules.thenCompose(found -> read.of(found.pause() != null))
                        : CompletableFuture.failedFuture(
                                new NotIndexedException(keys.typeName(), state == StatusIndex.State.BUILDING)));
    }

    private static Map<JobStatus, Long> shown(Map<JobStatus, Long> stored, boolean isPaused) {
        Map<JobStatus, Long> counts = new EnumMap<>(stored);
        counts.put(JobStatus.PAUSED, 0L);
        if (isPaused) {
            counts.put(JobStatus.PAUSED, counts.put(JobStatus.WAITING, 0L));
        }
        return Collections.unmodifiableMap(counts);
    }

    /** {@return a page of the jobs with a status} */
    public CompletableFuture<Page<JobLine>> list(
            ReadTransactionContext context, JobType<?, ?> type, JobStatus status, PageRequest page) {
        TypeKeys keys = keyspace.type(type.name());
        JobStatus stored = status == JobStatus.PAUSED ? JobStatus.WAITING : status;
        String name = status + " " + type.name();
        Optional<byte[]> after = page.after().map(continuation -> {
            byte[] last = PageToken.decode(name, continuation);
            if (!StatusIndex.covers(keys, stored, last)) {
                throw PageToken.unknown(continuation);
            }
            return last;
        });
        return new BatchSize(page.limit())
                .run(tries -> transactions
                        .named("list by status", type.name())
                        .read(
                                context,
                                tx -> tries.next(max -> {
                                    CompletableFuture<StatusIndex.Lines> lines = StatusIndex.list(
                                            tx, keys, stored, status, after, page.isNewestFirst(), max);
                                    return indexed(
                                            tx,
                                            keys,
                                            isPaused -> lines.thenApply(found -> new StaleRowRemoval.Listed<>(
                                                    page(name, status, isPaused, found), found.stale())));
                                })))
                .thenCompose(listed -> staleRowRemoval.after(keys, StatusIndex.ROWS, listed));
    }

    /** The jobs that wait in a paused type have the status PAUSED, and in another type WAITING. */
    private static Page<JobLine> page(String name, JobStatus status, boolean isPaused, StatusIndex.Lines found) {
        boolean isShown = isPaused ? status != JobStatus.WAITING : status != JobStatus.PAUSED;
        if (!isShown) {
            return new Page<>(List.of(), Optional.empty());
        }
        return new Page<>(found.jobs(), found.last().map(last -> PageToken.encode(name, last)));
    }
}
