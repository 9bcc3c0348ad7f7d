package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import java.util.Arrays;
import java.util.Optional;

/** A key without a value that says where a job stands in an index, and moves when the job's row changes. */
final class IndexKey {
    private static final byte[] EMPTY = {};

    private IndexKey() {}

    /** {@return whether the job stands there now and did not before; a key that stays the same is not written} */
    static boolean move(Transaction tx, Optional<byte[]> from, Optional<byte[]> to) {
        if (from.isPresent() && to.isPresent() && Arrays.equals(from.get(), to.get())) {
            return false;
        }
        from.ifPresent(tx::clear);
        to.ifPresent(key -> tx.set(key, EMPTY));
        return to.isPresent();
    }
}
