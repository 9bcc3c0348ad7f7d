package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.AttemptLog;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The verbs that only look: {@code get_job_data}, {@code get_job_state} (RFC 007) and what else is known of one job. */
public final class Queries {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;

    public Queries(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
    }

    /** {@return the data, or empty if there is no such job} */
    public <D> CompletableFuture<Optional<D>> data(ReadTransactionContext context, JobType<D, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("get data of", type.name())
                .read(
                        context,
                        tx -> JobTable.read(tx, ref)
                                .thenCompose(row -> row.isEmpty()
                                        ? CompletableFuture.completedFuture(Optional.<D>empty())
                                        : row.get()
                                                .payload()
                                                .load(tx, ref)
                                                .thenApply(json -> Optional.of(codec.decode(type, jobId, json)))));
    }

    /** {@return all that is known of the job, or empty if there is none} */
    public <D, R> CompletableFuture<Optional<JobInfo<D, R>>> job(
            ReadTransactionContext context, JobType<D, R> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("get job", type.name())
                .read(
                        context,
                        tx -> JobTable.read(tx, ref)
                                .thenCompose(row -> row.isEmpty()
                                        ? CompletableFuture.completedFuture(Optional.<JobInfo<D, R>>empty())
                                        : StoredJob.load(tx, type, ref, row.get(), codec)
                                                .thenApply(Optional::of)));
    }

    /** {@return the attempts at the job that are still known, oldest first} */
    public CompletableFuture<List<JobAttempt>> attempts(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("get attempts at", type.name())
                .read(
                        context,
                        tx -> JobTable.read(tx, ref)
                                .thenCompose(row -> row.isEmpty()
                                        ? CompletableFuture.completedFuture(List.<JobAttempt>of())
                                        : AttemptLog.read(tx, ref, row.get())));
    }

    /** {@return the state} */
    public CompletableFuture<JobState> state(ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("get state of", type.name())
                .read(
                        context,
                        tx -> JobTable.read(tx, ref)
                                .thenApply(row -> row.map(JobRow::state).orElse(JobState.NOT_FOUND)));
    }
}
