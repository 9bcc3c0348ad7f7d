package dev.couchjobs.internal.activity;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Lists the running jobs by id, from the activity index. The index is in the order of the last heartbeats, so each page
 * reads all of it. There is no listing if the index is too long, or if the transaction itself has changed it.
 */
public final class RunningListing {
    /** A row has up to 80 jobs whose claims a process renews together. */
    private static final int INDEX_ROWS_MAX = 1_000;

    /** The order of the keys of the jobs' rows. */
    private static final Comparator<String> BY_ID =
            Comparator.comparing(id -> id.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private RunningListing() {}

    /**
     * A part of the listing.
     *
     * @param byId the rows by id, in order; some jobs may have ended
     * @param last the last id that was read, if there are more
     */
    public record Part(Map<String, JobRow> byId, Optional<String> last) {}

    /**
     * Reads a page without conflicts.
     *
     * @param after the last id of the previous page
     * @param limit how many rows to read
     * @return empty if there is no listing
     */
    public static CompletableFuture<Optional<Part>> read(ReadTransaction tx, TypeKeys keys, String after, int limit) {
        if (JobTable.hasWritten(tx, keys)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return ActivityIndex.all(tx, keys, INDEX_ROWS_MAX)
                .thenCompose(ids -> ids.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : part(tx, keys, idsAfter(ids.get(), after), limit).thenApply(Optional::of));
    }

    private static List<String> idsAfter(List<String> ids, String after) {
        return ids.stream()
                .filter(id -> BY_ID.compare(id, after) > 0)
                .distinct()
                .sorted(BY_ID)
                .toList();
    }

    private static CompletableFuture<Part> part(ReadTransaction tx, TypeKeys keys, List<String> ids, int limit) {
        List<String> page = ids.subList(0, Math.min(ids.size(), limit));
        Map<String, CompletableFuture<Optional<JobRow>>> reads = new LinkedHashMap<>();
        page.forEach(id -> reads.put(id, JobTable.find(tx.snapshot(), new JobRef(keys, id))));
        return Futures.allOf(reads.values()).thenApply(done -> {
            Map<String, JobRow> rows = new LinkedHashMap<>();
            reads.forEach((id, read) -> read.join().ifPresent(job -> rows.put(id, job)));
            return new Part(rows, page.size() < ids.size() ? Optional.of(page.get(limit - 1)) : Optional.empty());
        });
    }
}
