package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The row of a call that claims once: {@code (call, milliseconds, (type, id, lock)...)}. The transaction that claims
 * for the call reads the row with a conflict, and writes it. So of two transactions for one call only the first claims.
 */
final class CallRow {
    private final byte[] key;
    private final String call;

    CallRow(byte[] key, String call) {
        this.key = key;
        this.call = call;
    }

    String call() {
        return call;
    }

    /** {@return what equals that of another call with the same row and id} */
    Object identity() {
        return List.of(ByteBuffer.wrap(key), call);
    }

    /** {@return whether the row says that the call has claimed} */
    CompletableFuture<Boolean> hasClaimed(Transaction tx) {
        return tx.get(key).thenApply(value -> value != null && isOfCall(value));
    }

    private boolean isOfCall(byte[] value) {
        try {
            Tuple row = Tuple.fromBytes(value);
            return !row.isEmpty() && call.equals(row.get(0));
        } catch (IllegalArgumentException e) { // it is no row of a call
            return false;
        }
    }

    /** Writes what the call has claimed. */
    void write(Transaction tx, List<? extends GrantedClaim<?>> claims, long millis) {
        Tuple row = Tuple.from(call, millis);
        for (GrantedClaim<?> claim : claims) {
            row = row.add(Tuple.from(
                    claim.job().type().name(), claim.job().id(), claim.job().lock()));
        }
        tx.set(key, row.pack());
    }
}
