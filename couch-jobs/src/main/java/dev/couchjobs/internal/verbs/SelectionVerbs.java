package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.SelectionProgress;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.quarantine.StaleRows;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.tags.TagIndex;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.StoredJob;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Applies an action to all jobs of a type that meet a condition. It reads the jobs in the order of their ids, some in
 * each transaction, and changes those that meet the condition in the same transaction.
 */
public final class SelectionVerbs<D, R> {
    private static final int JOBS_MAX = 100;

    private final Database database;
    private final Executor executor;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final JobType<D, R> type;
    private final PayloadCodec codec;
    private final Predicate<? super JobInfo<D, R>> condition;
    private final Optional<String> tag;

    /** @param tag reads only the jobs with this tag, if there is one */
    SelectionVerbs(
            Instance instance, JobType<D, R> type, Predicate<? super JobInfo<D, R>> condition, Optional<String> tag) {
        this.database = instance.database();
        this.executor = instance.executor();
        this.transactions = instance.transactions();
        this.keys = instance.keyspace().type(type.name());
        this.codec = instance.codec();
        this.type = type;
        this.condition = condition;
        this.tag = tag;
    }

    /**
     * Applies an action.
     *
     * @param from the progress of the part that is done
     * @param listener receives the progress after each transaction
     */
    public CompletableFuture<SelectionProgress> run(
            ControlVerbs.BulkAction bulkAction, SelectionProgress from, Consumer<SelectionProgress> listener) {
        return new Pass(bulkAction, from, listener).run();
    }

    /**
     * Some of the jobs to test.
     *
     * @param jobs the jobs, by id
     * @param last the last id that was read; empty if there is none behind it
     */
    private record JobPage(Map<String, JobRow> jobs, Optional<String> last) {}

    /**
     * The result of one transaction.
     *
     * @param read how many jobs it has read
     * @param applied to how many of them the action applied
     * @param last the id of the last one; empty if there is none behind it
     */
    private record Batch(int read, int applied, Optional<String> last) {}

    private final class Pass {
        private final Transactions named;
        private final JobAction action;
        private final Consumer<SelectionProgress> listener;
        private final BatchSize batchSize = new BatchSize(JOBS_MAX);

        // Touched by one batch at a time.
        private SelectionProgress progress;

        Pass(ControlVerbs.BulkAction bulkAction, SelectionProgress from, Consumer<SelectionProgress> listener) {
            this.named = transactions.named(bulkAction.name(), type.name());
            this.action = bulkAction.action();
            this.progress = from;
            this.listener = listener;
        }

        CompletableFuture<SelectionProgress> run() {
            return GuardedExecutor.whileTrue(this::batch, executor).thenApply(done -> progress);
        }

        /** {@return whether more jobs may follow} */
        private CompletableFuture<Boolean> batch() {
            return batchSize
                    .run(tries -> named.runOnce(
                            database, List.of(keys), jobs -> tries.next(limit -> applyToPage(jobs, limit))))
                    .thenApply(batch -> {
                        progress = new SelectionProgress(
                                progress.read() + batch.read(), progress.applied() + batch.applied(), batch.last());
                        listener.accept(progress);
                        return batch.last().isPresent();
                    });
        }

        private CompletableFuture<Batch> applyToPage(JobStore jobs, int limit) {
            return page(jobs.tx(), progress.lastId().orElse(""), limit)
                    .thenCompose(page -> selected(jobs, page.jobs())
                            .thenCompose(refs -> applyAll(jobs, refs))
                            .thenApply(applied -> new Batch(page.jobs().size(), applied, page.last())));
        }

        private CompletableFuture<JobPage> page(Transaction tx, String after, int limit) {
            return tag.isPresent()
                    ? TagIndex.read(tx, keys, tag.get(), after, limit)
                            .thenCompose(found -> StaleRows.remove(tx, keys, TagIndex.ROWS, found.stale())
                                    .thenApply(done -> new JobPage(found.byId(), found.last())))
                    : JobTable.list(tx, keys, after, limit)
                            .thenApply(rows -> new JobPage(
                                    rows.byId(), last(List.copyOf(rows.byId().keySet()), limit)));
        }

        private static Optional<String> last(List<String> ids, int limit) {
            return ids.size() < limit ? Optional.empty() : Optional.of(ids.get(ids.size() - 1));
        }

        private CompletableFuture<List<JobRef>> selected(JobStore jobs, Map<String, JobRow> rows) {
            List<CompletableFuture<Optional<JobRef>>> tests = new ArrayList<>(rows.size());
            rows.forEach((id, row) -> {
                JobRef ref = new JobRef(keys, id);
                tests.add(StoredJob.load(jobs.tx().snapshot(), type, ref, row, codec)
                        .thenApply(job -> condition.test(job) ? Optional.of(ref) : Optional.empty()));
            });
            return Futures.presentOf(tests);
        }

        private CompletableFuture<Integer> applyAll(JobStore jobs, List<JobRef> refs) {
            List<CompletableFuture<Boolean>> applied =
                    refs.stream().map(ref -> action.apply(jobs, ref)).toList();
            return Futures.allOf(applied).thenApply(done ->
                    (int) applied.stream().filter(CompletableFuture::join).count());
        }
    }
}
