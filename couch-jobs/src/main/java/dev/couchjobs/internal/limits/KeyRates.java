package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Rate;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rates of limit keys: how many jobs with one key start in a period. */
public final class KeyRates {
    private KeyRates() {}

    /** Sets the rate of a limit key. Code that does not know such rates may no longer use the rows. */
    public static CompletableFuture<Void> set(
            Transaction tx, Keyspace keyspace, String typeName, String limitKey, Rate rate) {
        TypeKeys keys = keyspace.type(typeName);
        CompletableFuture<?> raised = new LayoutRow(keyspace)
                .raise(tx, layout -> layout.with(Feature.CLAIM_RULES).with(Feature.KEY_RATES));
        CompletableFuture<?> set = inOrder(
                tx,
                keys,
                limitKey,
                () -> CompletableFuture.allOf(
                        change(tx, keys, limitKey, rate), ListedKeys.RATED.add(tx, keys, limitKey)));
        return CompletableFuture.allOf(raised, set);
    }

    /** Removes the rate of a limit key. Its jobs no longer wait for tokens. */
    public static CompletableFuture<Void> clear(Transaction tx, TypeKeys keys, String limitKey) {
        return inOrder(
                tx,
                keys,
                limitKey,
                () -> CompletableFuture.allOf(
                        change(tx, keys, limitKey, null),
                        ListedKeys.RATED.remove(tx, keys, limitKey),
                        SlotTable.slots(tx, keys, limitKey)
                                .thenAccept(
                                        slots -> SlotTable.setSlots(tx, keys, limitKey, slots, slots.notWaiting()))));
    }

    /** A rate that is set again forgets nothing. */
    private static CompletableFuture<Void> change(Transaction tx, TypeKeys keys, String limitKey, @Nullable Rate rate) {
        return SlotTable.changeLimit(tx, keys, limitKey, limit -> {
            if (rate == null || !Objects.equals(rate, limit.rate())) {
                RateMeter.resetOfKey(tx, keys, limitKey);
            }
            return limit.withRate(rate);
        });
    }

    private static CompletableFuture<Void> inOrder(
            Transaction tx, TypeKeys keys, String limitKey, Supplier<CompletableFuture<Void>> step) {
        List<byte[]> rows = List.of(
                LimitKeys.of(keys).rules(),
                LimitKeys.of(keys).limits().pack(limitKey),
                LimitKeys.of(keys).slots().pack(limitKey));
        return JobStore.of(tx).inOrder(rows, step);
    }
}
