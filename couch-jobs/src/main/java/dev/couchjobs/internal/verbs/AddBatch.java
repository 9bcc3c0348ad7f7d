package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.TooManyJobsException;
import dev.couchjobs.internal.dependencies.ExpectedJob;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.rows.JobRef;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Jobs of any types that are added in one transaction. Their rows are read concurrently, and the rows of one type are
 * written together. A job that is given twice is added twice in order, and written once.
 */
final class AddBatch {
    /** FoundationDB's limit for the size of a transaction: its writes and its conflict ranges. */
    private static final long TRANSACTION_BYTES_MAX = 10_000_000;
    /** Less than any job takes: its key is read and written, both with a conflict range. */
    private static final Measure BYTES_MIN = new Measure(5, 100);
    /** The measured size of a new job with its index entries. */
    private static final Measure BYTES_USUAL = new Measure(11, 200);

    private final List<AddRequest> requests;
    private final Map<JobRef, List<AddRequest>> byJob = new LinkedHashMap<>();

    AddBatch(List<AddRequest> requests) {
        this.requests = requests;
        requests.forEach(request ->
                byJob.computeIfAbsent(request.ref(), ref -> new ArrayList<>(1)).add(request));
        if (BYTES_MIN.bytesOf(requests)
                > TRANSACTION_BYTES_MAX) { // fails without a try: the reads alone would take seconds
            throw tooMany(BYTES_USUAL.bytesOf(requests), TRANSACTION_BYTES_MAX);
        }
    }

    /**
     * The size of a job in a transaction, without its data.
     *
     * @param keys how many times its key is counted
     * @param bytes the other bytes
     */
    private record Measure(int keys, int bytes) {
        long bytesOf(List<AddRequest> requests) {
            return requests.stream()
                    .mapToLong(request ->
                            request.payload().bytes() + keys * request.ref().keyBytes() + bytes)
                    .sum();
        }
    }

    /**
     * Adds the jobs.
     *
     * @param since what the transaction had done to the jobs with the unique keys when it searched for duplicates
     * @param allowed fails if a job must not be added
     * @param results receives the result of each request
     * @return fails with {@link AddRequest.DuplicateChangedException} if the transaction has changed such jobs since
     */
    CompletableFuture<?> add(
            JobStore jobs,
            JobStore.KeyChanges since,
            CompletableFuture<?> allowed,
            Map<AddRequest, AddResult> results) {
        Transaction tx = jobs.tx();
        CompletableFuture<Long> bytesBefore = tx.getApproximateSize();
        return jobs.editAll(
                List.copyOf(byJob.keySet()),
                () -> groups(tx),
                (before, groups) -> allowed.thenCompose(ok -> steps(tx, before, groups, results))
                        .thenCompose(changes -> bytesBefore.thenCompose(bytes -> save(jobs, since, changes, bytes))));
    }

    /** {@return what the rows of the jobs that do not exist yet have to name} */
    private CompletableFuture<Map<JobRef, ExpectedJob>> groups(Transaction tx) {
        List<JobRef> named = requests.stream()
                .filter(AddRequest::isNamed)
                .map(AddRequest::ref)
                .distinct()
                .toList();
        return ReleaseOutbox.expectedOfAll(tx, named);
    }

    private CompletableFuture<List<RowChange>> steps(
            Transaction tx,
            List<Optional<JobRow>> before,
            Map<JobRef, ExpectedJob> groups,
            Map<AddRequest, AddResult> results) {
        List<CompletableFuture<Optional<RowChange>>> changes = new ArrayList<>(byJob.size());
        Iterator<Optional<JobRow>> rows = before.iterator();
        byJob.forEach((ref, ofJob) -> {
            ExpectedJob expected = groups.getOrDefault(ref, ExpectedJob.NONE);
            changes.add(change(tx, ref, rows.next(), expected, ofJob, results));
        });
        return Futures.presentOf(changes);
    }

    private static CompletableFuture<Optional<RowChange>> change(
            Transaction tx,
            JobRef ref,
            Optional<JobRow> before,
            ExpectedJob expected,
            List<AddRequest> ofJob,
            Map<AddRequest, AddResult> results) {
        CompletableFuture<Optional<JobRow>> row = CompletableFuture.completedFuture(before);
        for (AddRequest request : ofJob) {
            row = row.thenCompose(present -> request.rowAfter(tx, present, expected)
                    .thenApply(after -> {
                        results.put(request, request.result(present, after));
                        return after.or(() -> present);
                    }));
        }
        return row.thenApply(after -> after.equals(before)
                ? Optional.empty()
                : Optional.of(new RowChange(ref, before.orElse(null), after.orElse(null))));
    }

    private CompletableFuture<Long> save(
            JobStore jobs, JobStore.KeyChanges since, List<RowChange> changes, long bytesBefore) {
        if (!jobs.saveIfUnchanged(since, changes)) {
            throw new AddRequest.DuplicateChangedException();
        }
        return jobs.tx().getApproximateSize().thenApply(bytes -> {
            if (bytes > Math.max(bytesBefore, TRANSACTION_BYTES_MAX)) {
                throw tooMany(bytes - bytesBefore, TRANSACTION_BYTES_MAX - bytesBefore);
            }
            return bytes;
        });
    }

    private TooManyJobsException tooMany(long bytes, long bytesMax) {
        int fitting = (int) (requests.size() * Math.max(0, bytesMax) / bytes);
        return new TooManyJobsException(requests.size(), fitting);
    }
}
