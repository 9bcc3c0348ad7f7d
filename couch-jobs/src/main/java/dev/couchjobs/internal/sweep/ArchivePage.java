package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.retention.RetentionIndex;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.StoredJob;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Jobs that are offered to an archive together.
 *
 * @param due the rows of the retention index that name the jobs, and possibly further jobs that did not fit
 * @param rows the jobs' own rows at the time of the offer
 * @param jobs the jobs as the archive receives them
 */
record ArchivePage<D, R>(DueJobs due, Map<String, JobRow> rows, List<JobInfo<D, R>> jobs) {
    private static final int BYTES_MAX = 4_000_000;

    /** {@return a page of jobs; empty if some jobs were put off because their graphs have not ended} */
    static <D, R> CompletableFuture<Optional<ArchivePage<D, R>>> load(
            Transaction tx, Keyspace keyspace, DueJobs due, JobType<D, R> type, PayloadCodec codec, Instant now) {
        TypeKeys keys = keyspace.type(type.name());
        return due.confirmed(tx, keys)
                .thenCompose(ended -> new GraphEnds(tx, keyspace).staying(ended).thenCompose(staying -> {
                    if (staying.isEmpty()) {
                        return load(tx, keys, due, fitting(ended), type, codec).thenApply(Optional::of);
                    }
                    PutOffJobs.putOff(tx, keys, true, staying, ended, now);
                    due.leaveOut(tx, keys, staying);
                    return CompletableFuture.completedFuture(Optional.empty());
                }));
    }

    private static <D, R> CompletableFuture<ArchivePage<D, R>> load(
            ReadTransaction tx,
            TypeKeys keys,
            DueJobs due,
            Map<String, JobRow> rows,
            JobType<D, R> type,
            PayloadCodec codec) {
        List<CompletableFuture<JobInfo<D, R>>> jobs = rows.entrySet().stream()
                .map(job -> StoredJob.load(tx, type, new JobRef(keys, job.getKey()), job.getValue(), codec))
                .toList();
        return Futures.listOf(jobs).thenApply(read -> new ArchivePage<>(due, rows, read));
    }

    /** The first jobs whose data and results together stay within the limit, at least one. */
    private static Map<String, JobRow> fitting(Map<String, JobRow> jobs) {
        Map<String, JobRow> taken = new LinkedHashMap<>();
        long sum = 0;
        for (Map.Entry<String, JobRow> job : jobs.entrySet()) {
            sum += bytes(job.getValue());
            if (!taken.isEmpty() && sum > BYTES_MAX) {
                break;
            }
            taken.put(job.getKey(), job.getValue());
        }
        return taken;
    }

    private static long bytes(JobRow row) {
        ClaimEnd claimEnd = row.claimEnd();
        long result = claimEnd == null || claimEnd.result() == null
                ? 0
                : claimEnd.result().bytesAtMost();
        return row.payload().bytesAtMost() + result;
    }

    /** Removes the jobs that were not enqueued again after the offer, and whose graphs were not. */
    CompletableFuture<Void> remove(Transaction tx, Keyspace keyspace, TypeKeys keys) {
        return due.confirmed(tx, keys).thenCompose(now -> {
            Map<String, JobRow> taken = new LinkedHashMap<>(now);
            taken.entrySet().removeIf(job -> !isAsOffered(job.getKey(), job.getValue()));
            return new GraphEnds(tx, keyspace).staying(taken).thenAccept(staying -> {
                taken.keySet().removeAll(staying);
                remove(tx, keys, now, taken);
            });
        });
    }

    private void remove(Transaction tx, TypeKeys keys, Map<String, JobRow> now, Map<String, JobRow> taken) {
        List<RetentionIndex.Entry> done = due.rows().stream()
                .filter(row -> row.jobIds().stream().noneMatch(id -> now.containsKey(id) && !taken.containsKey(id)))
                .toList();
        due.remove(tx, keys, taken, done);
    }

    /**
     * The lock distinguishes two ends of a job, because each end ends another claim, and a new job with the same id has
     * other locks. The time distinguishes ends without a claim.
     */
    private boolean isAsOffered(String jobId, JobRow now) {
        JobRow offered = rows.get(jobId);
        return offered != null
                && offered.claimInfo().number() == now.claimInfo().number()
                && Objects.equals(offered.finishedBy(), now.finishedBy())
                && endedAt(offered) == endedAt(now);
    }

    private static long endedAt(JobRow row) {
        return row.claimEnd() == null ? 0 : row.claimEnd().at();
    }
}
