package dev.couchjobs.internal.job;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.internal.rows.RowKey;
import dev.couchjobs.internal.rows.TransactionScope;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rows of jobs that a transaction has written. A row that contains the versionstamp of its own commit cannot be
 * read before the commit (error 1036), so reads of the transaction take it from here.
 */
public final class WrittenRows {
    private WrittenRows() {}

    /** The last write of a transaction under a key; no row if it removed the row. */
    public record Written(Optional<JobRow> row) {}

    public static void remember(TransactionScope scope, RowKey rowKey, @Nullable JobRow row) {
        scope.note(rowKey, new Written(Optional.ofNullable(row)));
    }

    /** {@return the last write of a transaction under a key, if there is one} */
    public static Optional<Written> find(ReadTransaction tx, RowKey rowKey) {
        return TransactionScope.find(tx).map(scope -> (Written) scope.noteOf(rowKey));
    }

    /** {@return all rows that a transaction wrote within a range, by key; removed rows are empty} */
    static SortedMap<byte[], Optional<JobRow>> within(ReadTransaction tx, Range range) {
        SortedMap<byte[], Optional<JobRow>> found = new TreeMap<>(Arrays::compareUnsigned);
        TransactionScope.find(tx)
                .ifPresent(scope ->
                        scope.notesWithin(range, (key, written) -> found.put(key.bytes(), ((Written) written).row())));
        return found;
    }
}
