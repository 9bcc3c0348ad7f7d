package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.TooManyJobsException;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.RowChange;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Jobs of any types that are added in one transaction. Their rows are read side by side, and those of one type are
 * written together. A job that is named twice is added twice, one time after the other, and written once.
 */
final class AddBatch {
    /** FoundationDB's limit for what a transaction writes, together with the ranges that it may conflict over. */
    private static final long TRANSACTION_BYTES_MAX = 10_000_000;
    /** To change a job, its key is read and written, both with a range to conflict over: it takes more than this. */
    private static final Measure LEAST = new Measure(5, 100);
    /** The id of a new job is in the indexes as well: with all that, it was seen to take about this. */
    private static final Measure USUAL = new Measure(11, 200);

    private final List<AddRequest> requests;
    private final Map<JobRef, List<AddRequest>> byJob = new LinkedHashMap<>();

    AddBatch(List<AddRequest> requests) {
        this.requests = requests;
        requests.forEach(request ->
                byJob.computeIfAbsent(request.ref(), ref -> new ArrayList<>(1)).add(request));
        if (LEAST.of(requests) > TRANSACTION_BYTES_MAX) { // it is not even tried: the reads alone would take seconds
            throw tooMany(USUAL.of(requests), TRANSACTION_BYTES_MAX);
        }
    }

    /** What a job takes of a transaction besides its data: its key so many times, and so many bytes. */
    private record Measure(int keys, int bytes) {
        long of(List<AddRequest> requests) {
            return requests.stream()
                    .mapToLong(
                            each -> each.payload().bytes() + keys * each.ref().keyBytes() + bytes)
                    .sum();
        }
    }

    /**
     * Adds them all.
     *
     * @param allowed fails if one of them may not be added
     * @param results takes what was done for each
     */
    CompletableFuture<?> add(JobTransaction verb, CompletableFuture<?> allowed, Map<AddRequest, AddResult> results) {
        Transaction tx = verb.tx();
        CompletableFuture<Long> bytesBefore = tx.getApproximateSize();
        return verb.editAll(
                List.copyOf(byJob.keySet()),
                () -> groups(tx),
                (before, groups) -> allowed.thenCompose(ok -> steps(tx, before, groups, results))
                        .thenCompose(changes -> bytesBefore.thenCompose(bytes -> save(verb, changes, bytes))));
    }

    /** Where those are who wait for the jobs, in their order. */
    private CompletableFuture<List<Long>> groups(Transaction tx) {
        List<CompletableFuture<Long>> all =
                byJob.values().stream().map(ofJob -> ofJob.get(0).expected(tx)).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> all.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<List<RowChange>> steps(
            Transaction tx, List<Optional<JobRow>> before, List<Long> groups, Map<AddRequest, AddResult> results) {
        List<CompletableFuture<Optional<RowChange>>> all = new ArrayList<>(byJob.size());
        Iterator<Optional<JobRow>> rows = before.iterator();
        Iterator<Long> group = groups.iterator();
        byJob.forEach((ref, ofJob) -> all.add(change(tx, ref, rows.next(), group.next(), ofJob, results)));
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        all.stream().flatMap(change -> change.join().stream()).toList());
    }

    private static CompletableFuture<Optional<RowChange>> change(
            Transaction tx,
            JobRef ref,
            Optional<JobRow> before,
            long group,
            List<AddRequest> ofJob,
            Map<AddRequest, AddResult> results) {
        CompletableFuture<Optional<JobRow>> row = CompletableFuture.completedFuture(before);
        for (AddRequest request : ofJob) {
            row = row.thenCompose(present -> request.to(tx, present, group).thenApply(after -> {
                results.put(request, request.result(present, after));
                return after.or(() -> present);
            }));
        }
        return row.thenApply(after -> after.equals(before)
                ? Optional.empty()
                : Optional.of(new RowChange(ref, before.orElse(null), after.orElse(null))));
    }

    private CompletableFuture<Long> save(JobTransaction verb, List<RowChange> changes, long bytesBefore) {
        verb.saveAll(changes);
        return verb.tx().getApproximateSize().thenApply(bytes -> {
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
