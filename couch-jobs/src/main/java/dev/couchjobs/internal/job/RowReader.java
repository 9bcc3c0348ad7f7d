package dev.couchjobs.internal.job;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of several jobs of one type: as one range if the rows are close together, because many single reads
 * cost a multiple of it. Rows of other jobs that lie between are read for nothing. So after a read with many of them,
 * the next reads of the type read each row by itself.
 *
 * <p>Thread-safe. Reads conflict with changes of the requested rows only.
 */
public final class RowReader {
    /** The least number of rows to read as a range. */
    private static final int ROWS_MIN = 16;
    /** A range with more bytes takes several round trips one after the other. */
    private static final int BYTES_MAX = 128_000;
    /** How many reads after a range with many other rows read no range, at least and at most. */
    private static final int PAUSE_MIN = 16;

    private static final int PAUSE_MAX = 1_024;

    @GuardedBy("this") private int pause;

    @GuardedBy("this") private int nextPause = PAUSE_MIN;

    /** {@return the reader of rows of a type's jobs} */
    static RowReader of(TypeKeys keys) {
        return keys.derived(RowReader.class, none -> new RowReader());
    }

    /**
     * {@return the rows of jobs with the writes of this transaction, in their order} An undecodable row is quarantined,
     * and the job does not exist. No other verb may write jobs of the type in this transaction until the read has
     * ended: a range with such a row cannot be read.
     *
     * @param refs jobs of one type
     */
    CompletableFuture<List<Optional<JobRow>>> read(Transaction tx, List<JobRef> refs) {
        if (refs.size() < ROWS_MIN || JobTable.hasWritten(tx, refs.get(0).keys()) || !mayReadRange()) {
            return readEach(tx, refs);
        }
        List<JobRef> sorted = sorted(refs);
        Range range = new Range(
                sorted.get(0).dataKey(),
                ByteArrayUtil.keyAfter(sorted.get(sorted.size() - 1).dataKey()));
        int limit = refs.size() + refs.size() / 2;
        return tx.snapshot()
                .getRange(range, limit)
                .asList()
                .thenCompose(rows -> select(tx, refs, sorted, rows, rows.size() < limit));
    }

    /**
     * Selects the requested rows from those of a range.
     *
     * @param isWhole whether the range has no rows but these; otherwise the jobs behind the last row are read singly
     */
    private CompletableFuture<List<Optional<JobRow>>> select(
            Transaction tx, List<JobRef> refs, List<JobRef> sorted, List<KeyValue> rows, boolean isWhole) {
        Map<JobRef, Optional<JobRow>> selected = new HashMap<>();
        List<JobRef> behind = new ArrayList<>();
        int next = 0;
        int present = 0;
        for (JobRef ref : sorted) {
            byte[] key = ref.dataKey();
            while (next < rows.size() && Arrays.compareUnsigned(rows.get(next).getKey(), key) < 0) {
                next++;
            }
            if (next == rows.size() && !isWhole) {
                behind.add(ref);
                continue;
            }
            tx.addReadConflictKey(key);
            byte @Nullable [] value = null;
            if (next < rows.size() && Arrays.equals(rows.get(next).getKey(), key)) {
                value = rows.get(next).getValue();
                present++;
            }
            selected.put(ref, Quarantine.readable(tx, ref.keys(), key, value, JobRow::decode));
        }
        record(rows.size() - present <= refs.size() / 2 && bytes(rows) <= BYTES_MAX);
        return readEach(tx, behind).thenApply(values -> {
            for (int i = 0; i < behind.size(); i++) {
                selected.put(behind.get(i), values.get(i));
            }
            return refs.stream()
                    .map(ref -> Objects.requireNonNull(selected.get(ref)))
                    .toList();
        });
    }

    private static long bytes(List<KeyValue> rows) {
        long bytes = 0;
        for (KeyValue row : rows) {
            bytes += row.getKey().length + row.getValue().length;
        }
        return bytes;
    }

    /** {@return the rows of jobs of any types, each read by itself} */
    public static CompletableFuture<List<Optional<JobRow>>> readEach(Transaction tx, List<JobRef> refs) {
        List<CompletableFuture<Optional<JobRow>>> reads = new ArrayList<>(refs.size());
        refs.forEach(ref -> reads.add(JobTable.find(tx, ref)));
        return Futures.listOf(reads);
    }

    private static List<JobRef> sorted(List<JobRef> refs) {
        List<JobRef> sorted = new ArrayList<>(refs);
        sorted.sort(Comparator.comparing(JobRef::dataKey, Arrays::compareUnsigned)); // most are sorted already
        return sorted;
    }

    private synchronized boolean mayReadRange() {
        if (pause == 0) {
            return true;
        }
        pause--;
        return false;
    }

    private synchronized void record(boolean wasUseful) {
        if (wasUseful) {
            nextPause = PAUSE_MIN;
        } else {
            pause = nextPause;
            nextPause = Math.min(PAUSE_MAX, 2 * nextPause);
        }
    }
}
