package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.internal.rows.RequestRows;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The {@linkplain RequestRows request} that the next claim gives the free slots of a limit key to jobs that wait for
 * them. The transaction that lets a job wait writes it.
 *
 * <p>A claim that clears a request although jobs wait, because no slot is free, relies on the transaction that frees
 * one. That transaction may have looked for jobs before the request was written. So the claim conflicts with it:
 * {@link #dismiss} and {@link #conflictWithDismissal}.
 */
public final class SlotRequest {
    private final TypeKeys type;
    private final String limitKey;
    private final byte[] value;

    private SlotRequest(TypeKeys type, String limitKey, byte[] value) {
        this.type = type;
        this.limitKey = limitKey;
        this.value = value;
    }

    /** Requests slots for jobs of a limit key that wait, and wakes those who claim. */
    public static void write(Transaction tx, TypeKeys type, String limitKey) {
        RequestRows.write(tx, row(type, limitKey));
        SlotTable.wakeProcessors(tx, type);
    }

    /** Requests slots for jobs of a limit key if some wait, and may have slots by a change of this transaction. */
    public static CompletableFuture<?> writeIfAnyWaits(Transaction tx, TypeKeys type, String limitKey) {
        conflictWithDismissal(tx, type, limitKey);
        return SlotTable.waiting(tx, type, limitKey, Optional.empty(), 1).thenAccept(first -> {
            if (!first.isEmpty()) {
                write(tx, type, limitKey);
            }
        });
    }

    /**
     * {@return requests by limit key, read without conflicts; behind the last key they begin again at the first}
     *
     * @param after the limit key behind which to begin, or null
     */
    public static CompletableFuture<List<SlotRequest>> list(
            ReadTransaction tx, TypeKeys type, @Nullable String after, int limit) {
        return RequestRows.list(
                tx,
                type,
                rows(type),
                after == null ? null : row(type, after),
                limit,
                row -> new SlotRequest(type, rows(type).unpack(row.getKey()).getString(0), row.getValue()));
    }

    /** {@return the limit key} */
    public String limitKey() {
        return limitKey;
    }

    /** Clears this request, because its jobs have slots. */
    void clear(Transaction tx) {
        RequestRows.clear(tx, row(type, limitKey), value);
    }

    /** Clears this request, because no slot is free: whoever frees one gives it to the jobs that wait. */
    void dismiss(Transaction tx) {
        clear(tx);
        leaveWaiting(tx, type, limitKey);
    }

    /** Leaves jobs waiting without a request. Whoever frees a slot, or ends a pause, conflicts if it missed them. */
    static void leaveWaiting(Transaction tx, TypeKeys type, String limitKey) {
        tx.addWriteConflictKey(dismissal(type, limitKey));
    }

    /** Lets this transaction, which leaves slots free, conflict with claims that rely on it to give them away. */
    static void conflictWithDismissal(Transaction tx, TypeKeys type, String limitKey) {
        tx.addReadConflictKey(dismissal(type, limitKey));
    }

    /** Lets this transaction conflict with claims that rely on it to give away slots of any limit key. */
    public static void conflictWithDismissals(Transaction tx, TypeKeys type) {
        Range all = rows(type).range();
        tx.addReadConflictRange(all.begin, all.end);
    }

    private static byte[] dismissal(TypeKeys type, String limitKey) {
        return ByteArrayUtil.keyAfter(row(type, limitKey)); // nothing is stored there
    }

    private static byte[] row(TypeKeys type, String limitKey) {
        return rows(type).pack(limitKey);
    }

    private static Subspace rows(TypeKeys type) {
        return LimitKeys.of(type).slotRequests();
    }
}
