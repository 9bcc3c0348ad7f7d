package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.LimitedJob;
import dev.couchjobs.internal.data.PausedKeys;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.QueueListing;
import dev.couchjobs.internal.data.SlotTable;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The candidates of a claim whose limit keys are paused: they got their slots before. The claim puts them back into the
 * limited queue, with the jobs of these keys among the next rows of the queue.
 */
final class PausedCandidates {
    /** The number of rows behind the candidates among which a claim looks for further jobs. */
    private static final int FURTHER = 100;

    private final TypeKeys keys;
    private final Set<String> pausedKeys;
    private final Map<String, List<LimitedJob>> found = new LinkedHashMap<>();
    private @Nullable QueueEntry last;

    private PausedCandidates(TypeKeys keys, Set<String> pausedKeys) {
        this.keys = keys;
        this.pausedKeys = pausedKeys;
    }

    /** {@return what a claim needs to tell them} Its read of the limit keys conflicts with their pauses. */
    static CompletableFuture<PausedCandidates> read(
            Transaction tx, TypeKeys keys, boolean hasPausedKeys, List<Optional<JobRow>> candidates) {
        Set<String> limitKeys = new HashSet<>();
        if (hasPausedKeys) {
            candidates.forEach(job -> job.map(row -> row.options().limitKey()).ifPresent(limitKeys::add));
        }
        return (limitKeys.isEmpty()
                        ? CompletableFuture.completedFuture(limitKeys)
                        : PausedKeys.among(tx, keys, limitKeys))
                .thenApply(paused -> new PausedCandidates(keys, paused));
    }

    /** {@return whether the limit key of a candidate is paused} */
    boolean contains(JobRow job) {
        String limitKey = job.options().limitKey();
        return limitKey != null && pausedKeys.contains(limitKey);
    }

    /** Adds a candidate to put back. */
    void add(QueueEntry row, JobRef ref, JobRow job) {
        LimitedJob limited = LimitedJob.of(ref, job);
        found.computeIfAbsent(limited.limitKey(), key -> new ArrayList<>()).add(limited);
        last = row;
    }

    /** {@return whether no candidate was added} */
    boolean isEmpty() {
        return found.isEmpty();
    }

    /**
     * Puts the added candidates back, and further jobs of their keys.
     *
     * @param ref the jobs by id
     * @return the ids of the jobs
     */
    CompletableFuture<Set<String>> putBack(Transaction tx, Function<String, JobRef> ref) {
        QueueEntry behind = last;
        if (behind == null) {
            return CompletableFuture.completedFuture(Set.of());
        }
        Set<String> candidateIds = new HashSet<>();
        found.values()
                .forEach(jobs -> jobs.forEach(job -> candidateIds.add(job.ref().id())));
        return new QueueListing(keys)
                .behind(tx, behind, FURTHER)
                .thenCompose(rows -> allOf(rows.stream()
                        .filter(row -> !candidateIds.contains(row.jobId()))
                        .map(row -> addIfPaused(tx, row, ref.apply(row.jobId())))
                        .toList()))
                .thenCompose(done -> allOf(found.entrySet().stream()
                        .map(ofKey -> SlotTable.putBack(tx, keys, ofKey.getKey(), ofKey.getValue()))
                        .toList()))
                .thenApply(done -> {
                    Set<String> ids = new HashSet<>();
                    found.values()
                            .forEach(jobs ->
                                    jobs.forEach(job -> ids.add(job.ref().id())));
                    return ids;
                });
    }

    /** Reads a job without a conflict unless it is put back, so that other claims can claim it. */
    private CompletableFuture<?> addIfPaused(Transaction tx, QueueEntry row, JobRef ref) {
        return JobTable.find(tx.snapshot(), ref)
                .thenAccept(job -> job.filter(pending -> row.matches(ref, pending))
                        .filter(this::contains)
                        .ifPresent(paused -> {
                            JobTable.conflictWithChanges(tx, ref);
                            synchronized (this) {
                                add(row, ref, paused);
                            }
                        }));
    }

    private static CompletableFuture<Void> allOf(List<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
    }
}
