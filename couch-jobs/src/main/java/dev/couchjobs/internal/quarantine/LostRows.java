package dev.couchjobs.internal.quarantine;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.NeededRows;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Finds jobs of which an index has lost a row, because the row was damaged and moved into quarantine, and writes their
 * rows again.
 *
 * @param tables the tables of these rows
 * @param indexes the rows that a job needs
 * @param sequences the place of a job in its sequence: a job without one gets another, behind the others
 */
public record LostRows(List<String> tables, List<NeededRows> indexes, NeededRows sequences) {
    /** How many of the rows that were moved last are looked through for one that a job may lack. */
    private static final int MOVED_MAX = 1_000;

    /** {@return whether a row was moved that a job may lack} */
    CompletableFuture<Boolean> mayBeAny(Transaction tx, TypeKeys keys) {
        return Quarantine.holdsAnyOf(tx, keys, tables, MOVED_MAX);
    }

    /** Looks at some jobs, and writes what is missing. {@return the id of the last, if there may be more} */
    CompletableFuture<Optional<String>> restore(Transaction tx, TypeKeys keys, String after, int limit) {
        return JobTable.list(tx, keys, after, limit).thenCompose(page -> {
            List<CompletableFuture<?>> restored = new ArrayList<>();
            page.byId().forEach((id, row) -> {
                JobRef ref = new JobRef(keys, id);
                restored.add(missing(tx.snapshot(), ref, row)
                        .thenCompose(missing -> missing == Missing.NOTHING
                                ? CompletableFuture.completedFuture(missing)
                                : restore(tx, ref)));
            });
            Optional<String> last = page.byId().keySet().stream().reduce((first, second) -> second);
            return Futures.allOf(restored).thenApply(done -> page.byId().size() < limit ? Optional.empty() : last);
        });
    }

    private enum Missing {
        NOTHING,
        ROW_OF_INDEX,
        PLACE
    }

    private CompletableFuture<Missing> missing(ReadTransaction tx, JobRef ref, JobRow row) {
        List<CompletableFuture<Boolean>> reads = new ArrayList<>();
        indexes.forEach(index -> reads.add(index.areThere(tx, ref, row)));
        return sequences.areThere(tx, ref, row).thenCombine(Futures.allOf(reads), (hasPlace, done) -> {
            if (!hasPlace) {
                return Missing.PLACE;
            }
            return reads.stream().allMatch(CompletableFuture::join) ? Missing.NOTHING : Missing.ROW_OF_INDEX;
        });
    }

    /** Reads again with conflicts: no row is written that the job does not need any more. */
    private CompletableFuture<Missing> restore(Transaction tx, JobRef ref) {
        JobStore jobs = JobStore.of(tx);
        return jobs.edit(
                ref,
                found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(Missing.NOTHING)
                        : missing(tx, ref, found.get()).thenApply(missing -> {
                            switch (missing) {
                                case NOTHING -> {}
                                case ROW_OF_INDEX -> jobs.reindex(ref, found.get());
                                case PLACE -> jobs.restore(ref, found.get(), found.get());
                            }
                            return missing;
                        }));
    }
}
