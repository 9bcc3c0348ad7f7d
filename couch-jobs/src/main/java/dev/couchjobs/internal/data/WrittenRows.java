package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rows of jobs that a transaction has written. A row that contains the versionstamp of its own commit cannot be
 * read before the commit (error 1036), so reads of the transaction take it from here.
 */
final class WrittenRows {
    @GuardedBy("this") private final Map<RowKey, Optional<JobRow>> rows = new HashMap<>();

    /** The last write of a transaction under a key; no row if it removed the row. */
    record Written(Optional<JobRow> row) {}

    /** {@return the rows of a transaction that writes} */
    static WrittenRows of(TransactionScope scope) {
        return scope.state(WrittenRows.class, WrittenRows::new);
    }

    synchronized void remember(RowKey rowKey, @Nullable JobRow row) {
        rows.put(rowKey, Optional.ofNullable(row));
    }

    /** {@return the last write of a transaction under a key, if there is one} */
    static Optional<Written> find(ReadTransaction tx, RowKey rowKey) {
        return TransactionScope.stateOf(tx, WrittenRows.class).flatMap(written -> written.find(rowKey));
    }

    private synchronized Optional<Written> find(RowKey rowKey) {
        return Optional.ofNullable(rows.get(rowKey)).map(Written::new);
    }

    /** {@return all rows that a transaction wrote within a range, by key; removed rows are empty} */
    static SortedMap<byte[], Optional<JobRow>> within(ReadTransaction tx, Range range) {
        return TransactionScope.stateOf(tx, WrittenRows.class)
                .map(written -> written.within(range))
                .orElseGet(Collections::emptySortedMap);
    }

    private synchronized SortedMap<byte[], Optional<JobRow>> within(Range range) {
        SortedMap<byte[], Optional<JobRow>> found = new TreeMap<>(Arrays::compareUnsigned);
        rows.forEach((key, row) -> {
            if (key.isWithin(range)) {
                found.put(key.bytes(), row);
            }
        });
        return found;
    }
}
