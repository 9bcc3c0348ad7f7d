package dev.couchjobs.internal.job;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.UncommittedChangesException;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the rows of jobs. Each read sees the earlier writes of its transaction. {@code JobStore} writes the rows.
 *
 * <p>A job's {@code data} row provides mutual exclusion: every transition reads it, with a conflict on other
 * transitions, and writes it.
 */
public final class JobTable {
    private JobTable() {}

    /** {@return the row of a job, with the writes of this transaction} */
    public static CompletableFuture<Optional<JobRow>> read(ReadTransaction tx, JobRef ref) {
        byte[] key = ref.dataKey();
        Optional<WrittenRows.Written> written = WrittenRows.find(tx, ref.rowKey());
        if (written.isPresent()) {
            return CompletableFuture.completedFuture(written.get().row());
        }
        return tx.get(key)
                .thenApply(value -> Optional.ofNullable(value).map(bytes -> decode(ref, new KeyValue(key, bytes))));
    }

    /** {@return the decoded row of a job} */
    public static JobRow decode(JobRef ref, KeyValue row) {
        return Quarantine.decode(ref.keys(), row, each -> JobRow.decode(each.getValue()));
    }

    /** {@return the last id of a job from an id on and before another; read without conflicts} */
    public static CompletableFuture<Optional<String>> lastIdBetween(ReadTransaction tx, JobRef from, String beforeId) {
        Range range = new Range(from.dataKey(), from.keys().data(beforeId));
        return tx.snapshot()
                .getRange(range, 1, true)
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> from.keys().jobIdOfData(row.getKey()))
                        .findFirst());
    }

    /**
     * {@return the last rows of jobs with ids from an id on and before another, the last one first; read without
     * conflicts} It fails with {@link UncommittedChangesException} in a transaction that has written jobs of the type.
     */
    public static CompletableFuture<Map<String, JobRow>> lastBetween(
            ReadTransaction tx, TypeKeys keys, String fromId, String beforeId, int limit) {
        if (hasWritten(tx, keys)) {
            return CompletableFuture.failedFuture(new UncommittedChangesException());
        }
        Range range = new Range(keys.data(fromId), keys.data(beforeId));
        return Quarantine.range(
                        tx,
                        keys,
                        range,
                        limit,
                        true,
                        row -> Map.entry(keys.jobIdOfData(row.getKey()), JobRow.decode(row.getValue())))
                .thenApply(rows -> {
                    Map<String, JobRow> byId = new LinkedHashMap<>();
                    rows.forEach(row -> byId.put(row.getKey(), row.getValue()));
                    return byId;
                });
    }

    /**
     * {@return the row of a job, with the writes of this transaction; empty if it is undecodable, and then quarantined}
     */
    public static CompletableFuture<Optional<JobRow>> find(ReadTransaction tx, JobRef ref) {
        byte[] key = ref.dataKey();
        Optional<WrittenRows.Written> written = WrittenRows.find(tx, ref.rowKey());
        if (written.isPresent()) {
            return CompletableFuture.completedFuture(written.get().row());
        }
        return tx.get(key).thenApply(value -> Quarantine.readable(tx, ref.keys(), key, value, JobRow::decode));
    }

    /** {@return the rows of jobs of a type that can be read, by id, in the order of the ids} */
    public static CompletableFuture<Map<String, JobRow>> find(ReadTransaction tx, TypeKeys keys, List<String> ids) {
        Map<String, CompletableFuture<Optional<JobRow>>> reads = new LinkedHashMap<>();
        ids.forEach(id -> reads.put(id, find(tx, new JobRef(keys, id))));
        return Futures.allOf(reads.values()).thenApply(done -> {
            Map<String, JobRow> rows = new LinkedHashMap<>();
            reads.forEach((id, row) -> row.join().ifPresent(found -> rows.put(id, found)));
            return rows;
        });
    }

    /**
     * {@return the rows of jobs of any types, in their order, each as {@link #find} reads it} No other verb may write
     * jobs in this transaction until the read has ended.
     */
    public static CompletableFuture<List<Optional<JobRow>>> findAll(Transaction tx, List<JobRef> refs) {
        boolean areOfOneType = !refs.isEmpty()
                && refs.stream().allMatch(ref -> ref.keys().equals(refs.get(0).keys()));
        return areOfOneType ? RowReader.of(refs.get(0).keys()).read(tx, refs) : RowReader.readEach(tx, refs);
    }

    /**
     * {@return whether a transaction has written jobs of a type, so that it cannot read their index rows}
     */
    public static boolean hasWritten(ReadTransaction tx, TypeKeys keys) {
        return !WrittenRows.within(tx, keys.dataAfter("")).isEmpty();
    }

    /**
     * A page of rows of a type.
     *
     * @param byId the rows by id, in order
     * @param hasSkipped whether undecodable rows between them were skipped
     */
    public record Rows(Map<String, JobRow> byId, boolean hasSkipped) {}

    /** {@return a page of rows, with the writes of this transaction} */
    public static CompletableFuture<Rows> list(ReadTransaction tx, TypeKeys keys, String after, int limit) {
        return new PageReader(tx, keys, after, limit).read();
    }

    /** Lets a transaction that has read a job without a conflict commit only if the job has not changed since. */
    public static void conflictWithChanges(Transaction tx, JobRef ref) {
        tx.addReadConflictKey(ref.dataKey());
    }

    /**
     * Reads a job without a conflict, before an edit that may follow. The client caches the reads of a transaction, so
     * the edit needs no further round trip.
     */
    public static CompletableFuture<?> prefetch(Transaction tx, JobRef ref) {
        return find(tx.snapshot(), ref);
    }
}
