package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobType;
import dev.couchjobs.LimitInfo;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Rate;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.KeyRates;
import dev.couchjobs.internal.limits.PausedKeys;
import dev.couchjobs.internal.limits.SlotRequest;
import dev.couchjobs.internal.limits.SlotTable;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The verbs of limit keys. After a change the next claim gives slots to the jobs that wait and may run now. */
public final class LimitVerbs {
    private static final String PAUSED_KEYS = "paused keys of ";
    /** For how many limit keys a transaction requests slots. */
    private static final int KEYS_AT_ONCE = 100;

    private final Keyspace keyspace;
    private final Transactions transactions;

    public LimitVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
    }

    /** Sets the limit of the limit keys without a limit of their own. */
    public CompletableFuture<Void> set(TransactionContext context, JobType<?, ?> type, int max) {
        return change(context, type, checkedOfKey(max));
    }

    /** Removes that limit. */
    public CompletableFuture<Void> clear(TransactionContext context, JobType<?, ?> type) {
        return change(context, type, OptionalInt.empty());
    }

    /** Sets the limit of one limit key. */
    public CompletableFuture<Void> set(TransactionContext context, JobType<?, ?> type, String limitKey, int max) {
        return change(context, type, Name.LIMIT_KEY.checked(limitKey), checkedOfKey(max));
    }

    /** Removes the limit of one limit key. */
    public CompletableFuture<Void> clear(TransactionContext context, JobType<?, ?> type, String limitKey) {
        return change(context, type, limitKey, OptionalInt.empty());
    }

    /** {@return the limit of a limit key, and how many slots are taken} */
    public CompletableFuture<LimitInfo> get(ReadTransactionContext context, JobType<?, ?> type, String limitKey) {
        Name.LIMIT_KEY.known(limitKey);
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named("get limit", type.name())
                .read(
                        context,
                        tx -> SlotTable.limit(tx, keys, limitKey)
                                .thenCombine(
                                        SlotTable.slots(tx, keys, limitKey),
                                        (limit, slots) -> new LimitInfo(
                                                limit.max(),
                                                slots.taken(),
                                                limit.isPaused(),
                                                Optional.ofNullable(limit.rate()))));
    }

    /** Sets how many jobs with a limit key start in a period. The next claim admits as many as it allows. */
    public CompletableFuture<Void> setRate(TransactionContext context, JobType<?, ?> type, String limitKey, Rate rate) {
        Objects.requireNonNull(rate, "rate");
        Name.LIMIT_KEY.checked(limitKey);
        return changeKey(
                "set rate",
                context,
                type,
                limitKey,
                (tx, keys) -> KeyRates.set(tx, keyspace, type.name(), limitKey, rate));
    }

    /** Removes the rate of a limit key. */
    public CompletableFuture<Void> clearRate(TransactionContext context, JobType<?, ?> type, String limitKey) {
        return changeKey("set rate", context, type, limitKey, (tx, keys) -> KeyRates.clear(tx, keys, limitKey));
    }

    /** Pauses a limit key. The jobs with a slot lose it when a claim finds them. */
    public CompletableFuture<Void> pause(TransactionContext context, JobType<?, ?> type, String limitKey) {
        Name.LIMIT_KEY.checked(limitKey);
        return transactions
                .named("pause limit key", type.name())
                .run(context, tx -> PausedKeys.pause(tx, keyspace, type.name(), limitKey));
    }

    /** Ends the pause of a limit key. */
    public CompletableFuture<Void> resume(TransactionContext context, JobType<?, ?> type, String limitKey) {
        return changeKey(
                "resume limit key", context, type, limitKey, (tx, keys) -> PausedKeys.resume(tx, keys, limitKey));
    }

    /** {@return a page of the paused limit keys of a type} */
    public CompletableFuture<Page<String>> pausedKeys(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        TypeKeys keys = keyspace.type(type.name());
        Optional<byte[]> after = page.after().map(token -> PageToken.decode(PAUSED_KEYS + type.name(), token));
        return transactions
                .named("list paused keys", type.name())
                .read(
                        context,
                        tx -> PausedKeys.list(tx, keys, after, page.limit() + 1, page.isNewestFirst())
                                .thenApply(rows -> page(tx, keys, rows, page.limit())));
    }

    private static Page<String> page(ReadTransaction tx, TypeKeys keys, List<KeyValue> rows, int limit) {
        List<KeyValue> shown = rows.subList(0, Math.min(limit, rows.size()));
        return new Page<>(
                shown.stream()
                        .flatMap(row -> PausedKeys.limitKey(tx, keys, row).stream())
                        .toList(),
                rows.size() > limit
                        ? Optional.of(PageToken.encode(
                                PAUSED_KEYS + keys.typeName(),
                                shown.get(limit - 1).getKey()))
                        : Optional.empty());
    }

    /** {@return the limit of a whole type, checked} */
    static OptionalInt checked(int max) {
        return checked(max, "To hold jobs back, pause their type.");
    }

    private static OptionalInt checkedOfKey(int max) {
        return checked(max, "To hold jobs of a key back, pause the key.");
    }

    private static OptionalInt checked(int max, String advice) {
        if (max < 1) {
            throw new IllegalArgumentException("A limit is at least 1; this is " + max + ". " + advice);
        }
        return OptionalInt.of(max);
    }

    /** A claim that finds jobs waiting, and no slot free, has read the limit before: one of the two is repeated. */
    private CompletableFuture<Void> change(TransactionContext context, JobType<?, ?> type, OptionalInt max) {
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named("set limit", type.name())
                .run(context, tx -> {
                    SlotTable.setLimitOfEach(tx, keys, max);
                    SlotRequest.conflictWithDismissals(tx, keys);
                    return request(tx, keys, null, KEYS_AT_ONCE);
                })
                .thenCompose(next -> requestRest(context, keys, next));
    }

    private CompletableFuture<Void> change(
            TransactionContext context, JobType<?, ?> type, String limitKey, OptionalInt max) {
        return changeKey(
                "set limit", context, type, limitKey, (tx, keys) -> SlotTable.setLimit(tx, keys, limitKey, max));
    }

    /** A change of the row of a limit key, in a transaction. */
    private interface Change {
        CompletableFuture<Void> apply(Transaction tx, TypeKeys keys);
    }

    /** Changes the row of a limit key, and requests slots for the jobs that may run then. */
    private CompletableFuture<Void> changeKey(
            String name, TransactionContext context, JobType<?, ?> type, String limitKey, Change change) {
        Name.LIMIT_KEY.known(limitKey);
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named(name, type.name())
                .run(
                        context,
                        tx -> CompletableFuture.allOf(
                                change.apply(tx, keys), SlotRequest.writeIfAnyWaits(tx, keys, limitKey)));
    }

    /**
     * Requests slots for the next limit keys whose jobs wait. A transaction of the caller's requests those of the first
     * keys; the jobs of others get slots with the next end of their key.
     *
     * @param after the last key that was passed, or null
     * @return the last key, if there may be more
     */
    private static CompletableFuture<Optional<String>> request(
            Transaction tx, TypeKeys keys, @Nullable String after, int most) {
        return SlotTable.nextWaitingKey(tx, keys, after).thenCompose(next -> {
            if (next.isEmpty()) {
                return CompletableFuture.completedFuture(next);
            }
            SlotRequest.write(tx, keys, next.get());
            return most == 1 ? CompletableFuture.completedFuture(next) : request(tx, keys, next.get(), most - 1);
        });
    }

    private CompletableFuture<Void> requestRest(TransactionContext context, TypeKeys keys, Optional<String> passed) {
        return passed.isEmpty() || context instanceof Transaction
                ? CompletableFuture.completedFuture(null)
                : transactions
                        .named("request slots", keys.typeName())
                        .run(context, tx -> request(tx, keys, passed.get(), KEYS_AT_ONCE))
                        .thenCompose(next -> requestRest(context, keys, next));
    }
}
