package dev.couchjobs.internal.data;

import com.apple.foundationdb.ReadTransaction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Lists the running jobs by id, by way of the activity index. That is in the order of the last signs of life, so each
 * page reads all of it; where it is too long for that, or where the transaction itself has changed it, there is no
 * listing.
 */
public final class RunningListing {
    /** With one row for up to 80 jobs that a process gives signs of life for. */
    private static final int INDEX_ROWS_MAX = 1_000;

    /** As the keys of their rows. */
    private static final Comparator<String> BY_ID =
            Comparator.comparing(id -> id.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private RunningListing() {}

    /**
     * A part of the listing.
     *
     * @param byId the rows by id, in order; some may not run any more
     * @param last the last id that was looked at, if there are more behind it
     */
    public record Part(Map<String, JobRow> byId, Optional<String> last) {}

    /**
     * Reads without conflicts.
     *
     * @param after the id behind which to begin
     * @param limit how many rows to read
     * @return nothing if the index does not serve
     */
    public static CompletableFuture<Optional<Part>> read(ReadTransaction tx, TypeKeys keys, String after, int limit) {
        if (JobTable.hasWritten(tx, keys)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return ActivityIndex.all(tx, keys, INDEX_ROWS_MAX)
                .thenCompose(ids -> ids.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : part(tx, keys, behind(ids.get(), after), limit).thenApply(Optional::of));
    }

    private static List<String> behind(List<String> ids, String after) {
        return ids.stream()
                .filter(id -> BY_ID.compare(id, after) > 0)
                .distinct()
                .sorted(BY_ID)
                .toList();
    }

    private static CompletableFuture<Part> part(ReadTransaction tx, TypeKeys keys, List<String> ids, int limit) {
        List<String> some = ids.subList(0, Math.min(ids.size(), limit));
        Map<String, CompletableFuture<Optional<JobRow>>> reads = new LinkedHashMap<>();
        some.forEach(id -> reads.put(id, JobTable.find(tx.snapshot(), new JobRef(keys, id))));
        return CompletableFuture.allOf(reads.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, JobRow> rows = new LinkedHashMap<>();
                    reads.forEach((id, row) -> row.join().ifPresent(found -> rows.put(id, found)));
                    return new Part(
                            rows, some.size() < ids.size() ? Optional.of(some.get(limit - 1)) : Optional.empty());
                });
    }
}
