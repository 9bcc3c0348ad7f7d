package dev.couchjobs.internal.retention;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.RetireIndex;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Some rows of the retention index that are due. What they say of a job counts only if its own row says the same. */
record DueJobs(List<RetireIndex.Entry> rows) {

    /**
     * Rows that are due, after some that are passed over.
     *
     * @param jobs about how many jobs the rows are to stand for; there is at least one row, if any is due
     */
    static CompletableFuture<DueJobs> read(
            ReadTransaction tx, TypeKeys keys, boolean archived, long second, int skip, int jobs) {
        return RetireIndex.dueAt(tx, keys, archived, second, skip + jobs).thenApply(rows -> {
            List<RetireIndex.Entry> wanted = rows.size() > skip ? rows.subList(skip, rows.size()) : rows;
            return new DueJobs(fitting(wanted, jobs));
        });
    }

    private static List<RetireIndex.Entry> fitting(List<RetireIndex.Entry> rows, int jobs) {
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

    /** The jobs that have ended and not been enqueued again since, by id, as this transaction sees them. */
    CompletableFuture<Map<String, JobRow>> borneOut(ReadTransaction tx, TypeKeys keys) {
        Map<String, CompletableFuture<Optional<JobRow>>> reads = new LinkedHashMap<>();
        for (RetireIndex.Entry row : rows) {
            row.jobIds().forEach(id -> reads.computeIfAbsent(id, each -> JobTable.find(tx, new JobRef(keys, each))));
        }
        return CompletableFuture.allOf(reads.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, JobRow> jobs = new LinkedHashMap<>();
                    reads.forEach((id, read) -> read.join()
                            .filter(job ->
                                    rows.stream().anyMatch(row -> row.jobIds().contains(id) && row.isBorneOutBy(job)))
                            .ifPresent(job -> jobs.put(id, job)));
                    return jobs;
                });
    }

    /** Removes jobs that this transaction has read, and the rows of which nothing is left to do. */
    void remove(Transaction tx, TypeKeys keys, Map<String, JobRow> jobs, List<RetireIndex.Entry> done) {
        List<JobTable.Step> steps = new ArrayList<>(jobs.size());
        jobs.forEach((id, row) -> steps.add(new JobTable.Step(new JobRef(keys, id), row, null)));
        JobTable.saveAll(tx, keys, steps, OptionalLong.empty());
        done.forEach(row -> RetireIndex.clear(tx, keys, row));
    }
}
