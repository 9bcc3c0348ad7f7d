package dev.couchjobs.internal.rows;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The key of a job in an index, without a value. It moves when the job's row changes. */
public final class IndexKey {
    private static final byte[] EMPTY = {};

    private IndexKey() {}

    /** {@return whether a key is there, if there has to be one} */
    public static CompletableFuture<Boolean> isThere(ReadTransaction tx, Optional<byte[]> key) {
        return key.map(tx::get)
                .map(read -> read.thenApply(Objects::nonNull))
                .orElseGet(() -> CompletableFuture.completedFuture(true));
    }

    /** Replaces the key, and returns whether it is new. A key that stays the same is not written. */
    public static boolean move(Transaction tx, Optional<byte[]> from, Optional<byte[]> to) {
        if (from.isPresent() && to.isPresent() && Arrays.equals(from.get(), to.get())) {
            return false;
        }
        from.ifPresent(tx::clear);
        to.ifPresent(key -> tx.set(key, EMPTY));
        return to.isPresent();
    }
}
