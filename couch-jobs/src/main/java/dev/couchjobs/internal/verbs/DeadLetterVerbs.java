package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.DeadLetter;
import dev.couchjobs.JobType;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.internal.deadletters.DeadLetterIndex;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.views.ScheduledTimes;
import dev.couchjobs.loop.GuardedExecutor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;

/** The verbs for dead letters: to list them, and to retry them. */
public final class DeadLetterVerbs {
    private static final int BATCH_MAX = 100;

    private final Database database;
    private final Keyspace keyspace;
    private final Executor executor;
    private final Transactions transactions;
    private final InstantSource clock;
    private final StaleRowRemoval staleRowRemoval;

    public DeadLetterVerbs(Instance instance) {
        this.database = instance.database();
        this.keyspace = instance.keyspace();
        this.executor = instance.executor();
        this.transactions = instance.transactions();
        this.clock = instance.environment().clock();
        this.staleRowRemoval = new StaleRowRemoval(instance);
    }

    /** {@return a page of the dead letters} */
    public CompletableFuture<Page<DeadLetter>> page(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest request) {
        Optional<DeadLetterIndex.Entry> from = request.after().map(DeadLetterIndex.Entry::ofContinuation);
        TypeKeys keys = keyspace.type(type.name());
        return new BatchSize(request.limit())
                .run(tries -> transactions
                        .named("list dead", type.name())
                        .read(
                                context,
                                tx -> tries.next(limit -> {
                                    CompletableFuture<List<DeadLetterIndex.Entry>> rows = request.isNewestFirst()
                                            ? DeadLetterIndex.newestFirst(tx, keys, from, limit + 1)
                                            : DeadLetterIndex.oldestFirst(tx, keys, from, Optional.empty(), limit + 1);
                                    return rows.thenCompose(found -> page(tx, keys, found, limit));
                                })))
                .thenCompose(listed -> staleRowRemoval.after(keys, DeadLetterIndex.ROWS, listed));
    }

    private static CompletableFuture<StaleRowRemoval.Listed<Page<DeadLetter>>> page(
            ReadTransaction tx, TypeKeys keys, List<DeadLetterIndex.Entry> found, int limit) {
        List<DeadLetterIndex.Entry> shown = found.subList(0, Math.min(limit, found.size()));
        Optional<String> next =
                found.size() > limit ? Optional.of(shown.get(limit - 1).continuation()) : Optional.empty();
        List<CompletableFuture<Optional<DeadLetter>>> letters = shown.stream()
                .map(entry -> JobTable.find(tx.snapshot(), new JobRef(keys, entry.jobId()))
                        .thenApply(row -> row.filter(entry::matches).map(job -> letter(entry, job))))
                .toList();
        return Futures.listOf(letters).thenApply(read -> {
            List<DeadLetter> present = read.stream().flatMap(Optional::stream).toList();
            List<byte[]> stale = IntStream.range(0, read.size())
                    .filter(i -> read.get(i).isEmpty())
                    .mapToObj(i -> shown.get(i).key(keys))
                    .toList();
            return new StaleRowRemoval.Listed<>(new Page<>(present, next), stale);
        });
    }

    private static DeadLetter letter(DeadLetterIndex.Entry entry, JobRow job) {
        String error = Optional.ofNullable(job.claimEnd()).map(ClaimEnd::error).orElse("");
        return new DeadLetter(
                entry.jobId(),
                Instant.ofEpochMilli(entry.endedAt()),
                job.claimInfo().failures(),
                job.claimInfo().number(),
                error);
    }

    /** {@return whether the job was a dead letter, which is now pending} */
    public CompletableFuture<Boolean> retry(TransactionContext context, JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("retry", type.name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        jobs -> JobAction.retry(clock.millis()).apply(jobs, ref));
    }

    /**
     * Retries all present dead letters, in as many transactions as that takes. Jobs that fail again meanwhile stay dead
     * letters. Several callers may do so at a time, and a caller may repeat the call after an error.
     *
     * @return how many jobs this call has retried
     */
    public CompletableFuture<Long> retryAll(JobType<?, ?> type) {
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named("retry all", type.name())
                .read(database, tx -> DeadLetterIndex.newestFirst(tx, keys, Optional.empty(), 1))
                .thenCompose(newest -> newest.isEmpty()
                        ? CompletableFuture.completedFuture(0L)
                        : new Redrive(keys, newest.get(0)).run());
    }

    /** One pass through the dead letters, up to the newest when it began. */
    private final class Redrive {
        private final TypeKeys keys;
        private final DeadLetterIndex.Entry last;

        private final BatchSize batchSize = new BatchSize(BATCH_MAX);

        // Touched by one batch at a time.
        private Optional<DeadLetterIndex.Entry> position = Optional.empty();
        private long retried;

        Redrive(TypeKeys keys, DeadLetterIndex.Entry last) {
            this.keys = keys;
            this.last = last;
        }

        /** The result of one transaction: the last dead letter that it has read, and how many it has retried. */
        private record Batch(Optional<DeadLetterIndex.Entry> upTo, int retried) {}

        CompletableFuture<Long> run() {
            return GuardedExecutor.whileTrue(this::batch, executor).thenApply(done -> retried);
        }

        /** {@return whether more dead letters may follow} */
        private CompletableFuture<Boolean> batch() {
            return batchSize.run(this::retryBatch).thenApply(batch -> {
                retried += batch.retried();
                position = batch.upTo();
                return position.isPresent();
            });
        }

        private CompletableFuture<Batch> retryBatch(BatchSize.Tries tries) {
            return transactions
                    .named("retry all", keys.typeName())
                    .runOnce(database, List.of(keys), jobs -> tries.next(limit -> retry(jobs, limit)));
        }

        private CompletableFuture<Batch> retry(JobStore jobs, int limit) {
            Transaction tx = jobs.tx();
            return DeadLetterIndex.oldestFirst(tx, keys, position, Optional.of(last), limit)
                    .thenCombine(TypeInUse.prefetch(tx, keys), (rows, foreseen) -> rows)
                    .thenCompose(rows -> {
                        List<JobRef> refs = rows.stream()
                                .map(row -> new JobRef(keys, row.jobId()))
                                .distinct() // a job may have a stale row, too
                                .toList();
                        return jobs.editAll(refs, jobRows -> {
                            List<byte[]> stale = new ArrayList<>();
                            List<RowChange> changes = new ArrayList<>();
                            Map<JobRef, JobRow> unique = new LinkedHashMap<>();
                            for (DeadLetterIndex.Entry entry : rows) {
                                JobRef ref = new JobRef(keys, entry.jobId());
                                Optional<JobRow> deadLetter =
                                        jobRows.get(refs.indexOf(ref)).filter(entry::matches);
                                if (deadLetter.isEmpty()) {
                                    stale.add(entry.key(keys));
                                }
                                deadLetter.ifPresent(row -> {
                                    if (row.options().unique() == null) {
                                        JobRow again = row.enqueued(row.payload(), ScheduledTimes.NONE);
                                        changes.add(new RowChange(ref, row, again));
                                    } else {
                                        unique.put(ref, row);
                                    }
                                });
                            }
                            jobs.saveAll(changes);
                            stale.forEach(tx::clear);
                            Optional<DeadLetterIndex.Entry> upTo =
                                    rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(rows.size() - 1));
                            return retryUnique(jobs, unique)
                                    .thenApply(retriedUnique -> new Batch(upTo, changes.size() + retriedUnique));
                        });
                    });
        }

        /** One after the other: of several dead letters with one unique key only one is retried. */
        private CompletableFuture<Integer> retryUnique(JobStore jobs, Map<JobRef, JobRow> deadLetters) {
            CompletableFuture<Integer> count = CompletableFuture.completedFuture(0);
            for (Map.Entry<JobRef, JobRow> each : deadLetters.entrySet()) {
                count = count.thenCompose(
                        before -> JobAction.retry(jobs, each.getKey(), each.getValue(), clock.millis())
                                .thenApply(isRetried -> isRetried ? before + 1 : before));
            }
            return count;
        }
    }
}
