package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.Job;
import dev.couchjobs.JobProgress;
import dev.couchjobs.JobType;
import dev.couchjobs.LogEntry;
import dev.couchjobs.internal.claims.ErrorText;
import dev.couchjobs.internal.claims.Fence;
import dev.couchjobs.internal.history.JobLog;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.status.StatusIndex;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.ClaimedJob;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.StoredLogEntry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The verbs that write and read the log of a job. A writer has to hold the job: a lost claim cancels the
 * transaction, as {@link Fence} says.
 */
public final class LogVerbs {
    private static final int LIMIT_MAX = 1_000;

    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final InstantSource clock;

    public LogVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
        this.clock = instance.environment().clock();
    }

    /** {@return the number of the entry} */
    public CompletableFuture<Long> append(TransactionContext context, Job<?> job, LogEntry.Kind kind, Object entry) {
        JobRef ref = ref(job);
        String json = codec.encodeEntry(job.type(), job.id(), entry);
        return transactions
                .named("write log of", job.type().name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        jobs -> jobs.edit(ref, () -> JobLog.nextNumber(jobs.tx(), ref), (before, next) -> {
                            JobRow row = Fence.held(jobs.tx(), job, before);
                            long claim = row.claimInfo().number();
                            JobLog.Stored written = new JobLog.Stored(next, claim, clock.millis(), kind, json);
                            JobLog.append(jobs, ref, row, written);
                            return CompletableFuture.completedFuture(next);
                        }));
    }

    /** {@return when it is done} */
    public CompletableFuture<@Nullable Void> progress(
            TransactionContext context, Job<?> job, long done, long total, String text) {
        JobRef ref = ref(job);
        JobProgress progress = new JobProgress(done, total, ErrorText.storable(text), clock.instant());
        return transactions
                .named("write progress of", job.type().name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        jobs -> jobs.edit(ref, row -> {
                            JobRow running = Fence.held(jobs.tx(), job, row);
                            byte[] stored = JobLog.progress(jobs, ref, running, progress);
                            return StatusIndex.progress(jobs.tx(), ref, running, stored);
                        }));
    }

    /** {@return the entries after a number, oldest first} */
    public CompletableFuture<List<LogEntry>> read(
            ReadTransactionContext context, JobType<?, ?> type, String jobId, long after, int limit) {
        JobRef ref = keyspace.job(type.name(), jobId);
        if (after < 0 || limit < 1 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException(
                    "A log is read behind an entry's number, or from the first (0), and from 1" + " to " + LIMIT_MAX
                            + " entries at a time; this is behind " + after + ", and " + limit + ".");
        }
        return transactions
                .named("read log of", type.name())
                .read(context, tx -> JobLog.read(tx, ref, after, limit))
                .thenApply(entries ->
                        entries.stream().map(entry -> entry(ref, entry)).toList());
    }

    /** {@return the last checkpoint} */
    public CompletableFuture<Optional<LogEntry>> lastCheckpoint(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("read checkpoint of", type.name())
                .read(context, tx -> JobLog.lastCheckpoint(tx, ref))
                .thenApply(found -> found.map(entry -> entry(ref, entry)));
    }

    /** {@return the progress of the job} */
    public CompletableFuture<Optional<JobProgress>> progress(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions.named("read progress of", type.name()).read(context, tx -> JobLog.progress(tx, ref));
    }

    private LogEntry entry(JobRef ref, JobLog.Stored stored) {
        return new StoredLogEntry(ref.keys().typeName(), ref.id(), stored, codec);
    }

    private JobRef ref(Job<?> job) {
        return keyspace.job(job.type().name(), ClaimedJob.of(job).id());
    }
}
