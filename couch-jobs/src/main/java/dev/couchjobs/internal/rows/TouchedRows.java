package dev.couchjobs.internal.rows;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows to which a transaction has given the versionstamp of its commit. It cannot read them: FoundationDB fails
 * such a read with {@code accessed_unreadable}.
 */
public final class TouchedRows {
    @GuardedBy("this") private final List<byte[]> keys = new ArrayList<>();

    private TouchedRows() {}

    /** Notes from now on which rows a transaction touches, because it will read others beside them. */
    public static void note(Transaction tx) {
        var unused = TransactionScope.of(tx).state(TouchedRows.class, TouchedRows::new);
    }

    static void add(Transaction tx, byte[] key) {
        TransactionScope.stateOf(tx, TouchedRows.class).ifPresent(touched -> touched.add(key));
    }

    private synchronized void add(byte[] key) {
        keys.add(key);
    }

    /** {@return whether a transaction has touched a row since {@link #note}} */
    public static boolean isTouched(ReadTransaction tx, byte[] key) {
        return isAnyTouched(tx, new Range(key, ByteArrayUtil.keyAfter(key)));
    }

    /** {@return whether a transaction has touched a row in a range since {@link #note}} */
    static boolean isAnyTouched(ReadTransaction tx, Range range) {
        return TransactionScope.stateOf(tx, TouchedRows.class)
                .filter(touched -> touched.isAnyIn(range))
                .isPresent();
    }

    private synchronized boolean isAnyIn(Range range) {
        return keys.stream()
                .anyMatch(key -> ByteArrayUtil.compareUnsigned(key, range.begin) >= 0
                        && ByteArrayUtil.compareUnsigned(key, range.end) < 0);
    }
}
