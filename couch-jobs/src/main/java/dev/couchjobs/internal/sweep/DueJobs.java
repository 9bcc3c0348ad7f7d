package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.retention.RetentionIndex;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Due rows of the retention index. A row applies only if the job's own row agrees. */
record DueJobs(List<RetentionIndex.Entry> rows) {

    /**
     * Reads due rows, and skips the first ones.
     *
     * @param jobs about how many jobs the rows are to name; at least one row is read, if any is due
     */
    static CompletableFuture<DueJobs> read(
            ReadTransaction tx, TypeKeys keys, boolean archived, long second, int skip, int jobs) {
        return RetentionIndex.dueAt(tx, keys, archived, second, skip + jobs).thenApply(rows -> {
            List<RetentionIndex.Entry> remaining = rows.size() > skip ? rows.subList(skip, rows.size()) : rows;
            return new DueJobs(fitting(remaining, jobs));
        });
    }

    private static List<RetentionIndex.Entry> fitting(List<RetentionIndex.Entry> rows, int jobs) {
        int taken = 0;
        int sum = 0;
        while (taken < rows.size()
                && (taken == 0 || sum + rows.get(taken).jobIds().size() <= jobs)) {
            sum += rows.get(taken++).jobIds().size();
        }
        return List.copyOf(rows.subList(0, taken));
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** {@return the jobs that have ended and were not enqueued again, by id} */
    CompletableFuture<Map<String, JobRow>> confirmed(ReadTransaction tx, TypeKeys keys) {
        Map<String, CompletableFuture<Optional<JobRow>>> reads = new LinkedHashMap<>();
        for (RetentionIndex.Entry row : rows) {
            row.jobIds().forEach(id -> reads.computeIfAbsent(id, each -> JobTable.find(tx, new JobRef(keys, each))));
        }
        return Futures.allOf(reads.values()).thenApply(done -> {
            Map<String, JobRow> jobs = new LinkedHashMap<>();
            reads.forEach((id, read) -> read.join()
                    .filter(job -> rows.stream().anyMatch(row -> row.jobIds().contains(id) && row.matches(job)))
                    .ifPresent(job -> jobs.put(id, job)));
            return jobs;
        });
    }

    /** Takes jobs that are put off out of the rows. The other jobs of these rows are due in new ones. */
    void leaveOut(Transaction tx, TypeKeys keys, Collection<String> putOff) {
        for (RetentionIndex.Entry row : rows) {
            if (!Collections.disjoint(row.jobIds(), putOff)) {
                List<String> others =
                        row.jobIds().stream().filter(id -> !putOff.contains(id)).toList();
                RetentionIndex.clear(tx, keys, row);
                RetentionIndex.add(tx, keys, row.archived(), others, row.removeAt());
            }
        }
    }

    /** Removes jobs that this transaction has read, and the index rows whose jobs are all removed. */
    void remove(Transaction tx, TypeKeys keys, Map<String, JobRow> jobs, List<RetentionIndex.Entry> done) {
        List<RowChange> changes = new ArrayList<>(jobs.size());
        jobs.forEach((id, row) -> changes.add(new RowChange(new JobRef(keys, id), row, null)));
        JobStore.of(tx).saveAll(changes);
        done.forEach(row -> RetentionIndex.clear(tx, keys, row));
    }
}
