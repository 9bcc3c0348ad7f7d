package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobReason;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.history.AttemptLog;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.StoredJob;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The verbs that read one job: {@code get_job_data}, {@code get_job_state} (RFC 007), and its details and attempts.
 */
public final class QueryVerbs {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final InstantSource clock;

    public QueryVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
        this.clock = instance.clock();
    }

    /** {@return the data, or empty if there is no such job} */
    public <D> CompletableFuture<Optional<D>> data(ReadTransactionContext context, JobType<D, ?> type, String jobId) {
        return look(
                context,
                "get data of",
                type,
                jobId,
                Optional.empty(),
                (tx, ref, row) ->
                        row.payload().load(tx, ref).thenApply(json -> Optional.of(codec.decode(type, jobId, json))));
    }

    /** {@return the job with all its details, or empty if there is none} */
    public <D, R> CompletableFuture<Optional<JobInfo<D, R>>> job(
            ReadTransactionContext context, JobType<D, R> type, String jobId) {
        return job(context, "get job", type, jobId, StoredJob::load);
    }

    /** {@return the job with its result, without its data; empty if there is none} */
    public <D, R> CompletableFuture<Optional<JobInfo<D, R>>> jobWithoutData(
            ReadTransactionContext context, JobType<D, R> type, String jobId) {
        return job(context, "get result of", type, jobId, StoredJob::loadWithoutData);
    }

    /** Reads the details of a job. */
    @FunctionalInterface
    private interface Loader<D, R> {
        CompletableFuture<JobInfo<D, R>> load(
                ReadTransaction tx, JobType<D, R> type, JobRef ref, JobRow row, PayloadCodec codec);
    }

    private <D, R> CompletableFuture<Optional<JobInfo<D, R>>> job(
            ReadTransactionContext context, String purpose, JobType<D, R> type, String jobId, Loader<D, R> loader) {
        return look(
                context,
                purpose,
                type,
                jobId,
                Optional.empty(),
                (tx, ref, row) -> loader.load(tx, type, ref, row, codec).thenApply(Optional::of));
    }

    /** {@return what keeps a job from running; empty if there is no such job} */
    public CompletableFuture<Optional<JobReason>> why(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return look(
                context,
                "explain",
                type,
                jobId,
                Optional.empty(),
                (tx, ref, row) ->
                        new Reasons(tx, ref, row, clock.instant()).first().thenApply(Optional::of));
    }

    /** {@return the stored attempts at the job, oldest first} */
    public CompletableFuture<List<JobAttempt>> attempts(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return look(context, "get attempts at", type, jobId, List.of(), AttemptLog::read);
    }

    /** {@return the state} */
    public CompletableFuture<JobState> state(ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return look(
                context,
                "get state of",
                type,
                jobId,
                JobState.NOT_FOUND,
                (tx, ref, row) -> CompletableFuture.completedFuture(row.state()));
    }

    /** A query about a job that exists. */
    @FunctionalInterface
    private interface Question<T> {
        CompletableFuture<T> ask(ReadTransaction tx, JobRef ref, JobRow row);
    }

    /** @param missing the answer if there is no such job */
    private <T> CompletableFuture<T> look(
            ReadTransactionContext context,
            String purpose,
            JobType<?, ?> type,
            String jobId,
            T missing,
            Question<T> question) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named(purpose, type.name())
                .read(
                        context,
                        tx -> JobTable.read(tx, ref)
                                .thenCompose(row -> row.isPresent()
                                        ? question.ask(tx, ref, row.get())
                                        : CompletableFuture.completedFuture(missing)));
    }
}
