package dev.couchjobs.internal.rows;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rows by which transactions ask a later claim to look at a key. A transaction writes one without a read, and without a
 * conflict. A claim clears the row that it has read, if no other transaction has written it meanwhile.
 */
public final class RequestRows {
    private static final int NO_USER_VERSION = 0;

    private RequestRows() {}

    /** Writes a row. */
    public static void write(Transaction tx, byte[] row) {
        IncompleteVersionstamps.touch(tx, row, NO_USER_VERSION);
    }

    /**
     * Clears a row, if it has not been written since.
     *
     * @param value as it was read
     */
    public static void clear(Transaction tx, byte[] row, byte[] value) {
        tx.mutate(MutationType.COMPARE_AND_CLEAR, row, value);
    }

    /**
     * {@return rows by their keys, read without conflicts; behind the last one they begin again at the first} A
     * transaction that has written some of them finds none: they are for the next one.
     *
     * @param after the row behind which to begin, or null
     */
    public static <T> CompletableFuture<List<T>> list(
            ReadTransaction tx,
            TypeKeys keys,
            Subspace rows,
            byte @Nullable [] after,
            int limit,
            Function<KeyValue, T> decoder) {
        Range all = rows.range();
        if (TouchedRows.isAnyTouched(tx, all)) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (after == null) {
            return Quarantine.range(tx, keys, all, limit, false, decoder);
        }
        byte[] middle = ByteArrayUtil.keyAfter(after);
        return Quarantine.range(tx, keys, new Range(middle, all.end), limit, false, decoder)
                .thenCompose(behind -> behind.size() == limit
                        ? CompletableFuture.completedFuture(behind)
                        : Quarantine.range(
                                        tx, keys, new Range(all.begin, middle), limit - behind.size(), false, decoder)
                                .thenApply(before -> Stream.concat(behind.stream(), before.stream())
                                        .toList()));
    }
}
