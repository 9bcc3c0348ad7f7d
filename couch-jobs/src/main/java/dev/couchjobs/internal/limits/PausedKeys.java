package dev.couchjobs.internal.limits;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The limit keys of a type that are paused. The row of a key in {@code limits} decides; {@code paused_keys} has the
 * same keys, to list them, and the rules of the type say whether there are any, so that claims of other types read
 * nothing more.
 */
public final class PausedKeys {
    private PausedKeys() {}

    /** Pauses a limit key. Code that does not know such pauses may no longer use the rows. */
    public static CompletableFuture<Void> pause(Transaction tx, Keyspace keyspace, String typeName, String limitKey) {
        TypeKeys keys = keyspace.type(typeName);
        CompletableFuture<?> raised = new LayoutRow(keyspace)
                .raise(tx, layout -> layout.with(Feature.CLAIM_RULES).with(Feature.PAUSED_KEYS));
        CompletableFuture<?> paused = inOrder(
                tx,
                keys,
                limitKey,
                () -> allOf(
                        SlotTable.changeLimit(tx, keys, limitKey, limit -> limit.paused(true)),
                        ListedKeys.PAUSED.add(tx, keys, limitKey)));
        return allOf(raised, paused);
    }

    /** Ends the pause of a limit key, if there is one. */
    public static CompletableFuture<Void> resume(Transaction tx, TypeKeys keys, String limitKey) {
        return inOrder(
                tx,
                keys,
                limitKey,
                () -> allOf(
                        SlotTable.changeLimit(tx, keys, limitKey, limit -> limit.paused(false)),
                        ListedKeys.PAUSED.remove(tx, keys, limitKey)));
    }

    private static CompletableFuture<Void> inOrder(
            Transaction tx, TypeKeys keys, String limitKey, Supplier<CompletableFuture<Void>> step) {
        return JobStore.of(tx)
                .inOrder(
                        List.of(
                                LimitKeys.of(keys).rules(),
                                LimitKeys.of(keys).limits().pack(limitKey)),
                        step);
    }

    /** {@return the stored rows of the paused keys, behind a row or from the first; read without conflicts} */
    public static CompletableFuture<List<KeyValue>> list(
            ReadTransaction tx, TypeKeys keys, Optional<byte[]> after, int limit, boolean reverse) {
        Range all = LimitKeys.of(keys).pausedKeys().range();
        byte[] begin = reverse ? all.begin : after.map(ByteArrayUtil::keyAfter).orElse(all.begin);
        byte[] end = reverse ? after.orElse(all.end) : all.end;
        return tx.snapshot().getRange(new Range(begin, end), limit, reverse).asList();
    }

    /** {@return the limit key of a row of {@link #list}; empty if it cannot be decoded} */
    public static Optional<String> limitKey(ReadTransaction tx, TypeKeys keys, KeyValue row) {
        return Quarantine.readable(
                tx,
                keys,
                row,
                each -> LimitKeys.of(keys).pausedKeys().unpack(each.getKey()).getString(0));
    }

    private static CompletableFuture<Void> allOf(CompletableFuture<?>... futures) {
        return CompletableFuture.allOf(futures);
    }
}
