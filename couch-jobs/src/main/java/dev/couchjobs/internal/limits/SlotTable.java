package dev.couchjobs.internal.limits;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.queue.QueueKeys;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.types.AdmittedTypes;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a type, the slots that are taken, and the jobs that wait for one.
 *
 * <p>A transaction that changes the number of taken slots conflicts with every other that uses a slot of the key. One
 * that passes slots on only reads the number: it conflicts with transactions that take the same jobs out of the limited
 * queue.
 */
public final class SlotTable {
    private static final int NO_USER_VERSION = 0;

    private SlotTable() {}

    /**
     * {@return the limit of a limit key: its own, or that of each key} A damaged row limits and pauses nothing: it must
     * not keep jobs from ending.
     */
    public static CompletableFuture<KeyLimit> limit(ReadTransaction tx, TypeKeys keys, String limitKey) {
        CompletableFuture<KeyLimit> ofEach =
                limit(tx, keys, LimitKeys.of(keys).limits().pack());
        return ownLimit(tx, keys, limitKey).thenCombine(ofEach, (own, each) -> own.orElse(each.max()));
    }

    /** {@return the limit of a limit key without that of each key} */
    static CompletableFuture<KeyLimit> ownLimit(ReadTransaction tx, TypeKeys keys, String limitKey) {
        return limit(tx, keys, LimitKeys.of(keys).limits().pack(limitKey));
    }

    private static CompletableFuture<KeyLimit> limit(ReadTransaction tx, TypeKeys keys, byte[] key) {
        return tx.get(key)
                .thenApply(value -> Quarantine.readable(tx, keys, key, value, KeyLimit::decode)
                        .orElse(KeyLimit.NONE));
    }

    /** Sets the limit of all limit keys without a limit of their own. */
    public static void setLimitOfEach(Transaction tx, TypeKeys keys, OptionalInt max) {
        write(tx, LimitKeys.of(keys).limits().pack(), KeyLimit.NONE.withMax(max));
    }

    /** Sets the limit of one limit key, which stays paused if it is. */
    public static CompletableFuture<Void> setLimit(Transaction tx, TypeKeys keys, String limitKey, OptionalInt max) {
        return JobStore.of(tx)
                .inOrder(
                        List.of(LimitKeys.of(keys).limits().pack(limitKey)),
                        () -> changeLimit(tx, keys, limitKey, limit -> limit.withMax(max)));
    }

    /** Changes the row of one limit key. */
    static CompletableFuture<Void> changeLimit(
            Transaction tx, TypeKeys keys, String limitKey, UnaryOperator<KeyLimit> change) {
        return ownLimit(tx, keys, limitKey).thenApply(before -> {
            KeyLimit after = change.apply(before);
            if (!after.equals(before)) {
                write(tx, LimitKeys.of(keys).limits().pack(limitKey), after);
            }
            return null;
        });
    }

    private static void write(Transaction tx, byte[] key, KeyLimit limit) {
        if (limit.equals(KeyLimit.NONE)) {
            tx.clear(key);
        } else {
            tx.set(key, limit.encode());
        }
    }

    /** {@return the limits of limit keys without that of each key} A claim does not commit after one has changed. */
    static CompletableFuture<Map<String, KeyLimit>> ownLimits(
            Transaction tx, TypeKeys keys, Collection<String> limitKeys) {
        Map<String, CompletableFuture<KeyLimit>> limits = new LinkedHashMap<>();
        limitKeys.forEach(key -> limits.computeIfAbsent(key, each -> ownLimit(tx, keys, each)));
        return Futures.valuesOf(limits);
    }

    /** {@return the slots of a limit key; if the row is damaged, none are taken and no job waits for tokens} */
    public static CompletableFuture<KeySlots> slots(ReadTransaction tx, TypeKeys keys, String limitKey) {
        return slots(tx, tx, keys, limitKey);
    }

    /** {@return the slots of a limit key, read without a conflict; see {@link #conflictWithTaken}} */
    static CompletableFuture<KeySlots> slotsAsOfRead(Transaction tx, TypeKeys keys, String limitKey) {
        return slots(tx, tx.snapshot(), keys, limitKey);
    }

    /** Conflicts with other transactions that change the row of the slots of a limit key. */
    static void conflictWithTaken(Transaction tx, TypeKeys keys, String limitKey) {
        tx.addReadConflictKey(LimitKeys.of(keys).slots().pack(limitKey));
    }

    private static CompletableFuture<KeySlots> slots(
            ReadTransaction tx, ReadTransaction view, TypeKeys keys, String limitKey) {
        byte[] key = LimitKeys.of(keys).slots().pack(limitKey);
        return view.get(key)
                .thenApply(value -> Quarantine.readable(tx, keys, key, value, KeySlots::decode)
                        .orElse(KeySlots.NONE));
    }

    /**
     * Writes the slots of a limit key.
     *
     * @param before as the transaction has read them
     */
    static void setSlots(Transaction tx, TypeKeys keys, String limitKey, KeySlots before, KeySlots after) {
        byte[] key = LimitKeys.of(keys).slots().pack(limitKey);
        if (after.equals(before)) {
            return;
        }
        if (after.equals(KeySlots.NONE)) {
            tx.clear(key);
        } else {
            tx.set(key, after.encode());
        }
        if (!after.tokensAt().equals(before.tokensAt())) {
            before.tokensAt().ifPresent(version -> TokenWaits.clear(tx, keys, version, limitKey));
            after.tokensAt().ifPresent(version -> TokenWaits.set(tx, keys, version, limitKey));
        }
    }

    /**
     * {@return jobs that wait for a slot of a limit key, read without conflicts; all of them if they are fewer than the
     * limit}
     *
     * @param behind the key in the limited queue behind which to begin; empty for the head
     */
    public static CompletableFuture<List<LimitedJob>> waiting(
            Transaction tx, TypeKeys keys, String limitKey, Optional<LimitedJob> behind, int limit) {
        Range all = LimitKeys.of(keys).limited().get(limitKey).range();
        byte[] begin =
                behind.map(job -> ByteArrayUtil.keyAfter(job.limitedKey())).orElse(all.begin);
        return Quarantine.range(tx, keys, new Range(begin, all.end), limit, false, row -> LimitedJob.decode(keys, row));
    }

    /** {@return jobs that wait for a slot of a limit key, after a number of others; read without conflicts} */
    static CompletableFuture<List<LimitedJob>> waitingAfter(
            Transaction tx, TypeKeys keys, String limitKey, Optional<LimitedJob> behind, int skipped, int limit) {
        Range all = LimitKeys.of(keys).limited().get(limitKey).range();
        KeySelector begin = behind.map(job -> KeySelector.firstGreaterThan(job.limitedKey()))
                .orElseGet(() -> KeySelector.firstGreaterOrEqual(all.begin));
        return tx.snapshot()
                .getRange(begin.add(skipped), KeySelector.firstGreaterOrEqual(all.end), limit)
                .asList()
                .thenApply(rows -> Quarantine.readable(tx, keys, rows, row -> LimitedJob.decode(keys, row)));
    }

    /** {@return the next limit key for which jobs wait; the first if {@code after} is null} */
    public static CompletableFuture<Optional<String>> nextWaitingKey(
            ReadTransaction tx, TypeKeys keys, @Nullable String after) {
        Subspace limited = LimitKeys.of(keys).limited();
        byte[] begin =
                after == null ? limited.range().begin : limited.get(after).range().end;
        return Quarantine.range(
                        tx,
                        keys,
                        new Range(begin, limited.range().end),
                        1,
                        false,
                        row -> LimitedJob.decode(keys, row).limitKey())
                .thenApply(first -> first.stream().findFirst());
    }

    /** {@return whether a job waits in the limited queue} */
    public static CompletableFuture<Boolean> isWaiting(ReadTransaction tx, LimitedJob job) {
        return tx.get(job.limitedKey()).thenApply(value -> value != null);
    }

    /** {@return whether a job is in the queue from which processes claim} */
    static CompletableFuture<Boolean> isQueued(ReadTransaction tx, LimitedJob job) {
        return tx.get(job.queueKey()).thenApply(value -> value != null);
    }

    /**
     * Admits jobs that wait next to each other in a limited queue.
     *
     * @param rows the rows, as the transaction has read them without a gap
     */
    public static void admitWaiting(Transaction tx, List<LimitedJob> rows) {
        byte[] begin = rows.get(0).limitedKey();
        byte[] end = ByteArrayUtil.keyAfter(rows.get(rows.size() - 1).limitedKey());
        tx.addReadConflictRange(begin, end);
        tx.clear(begin, end);
        rows.forEach(row -> row.enterQueue(tx));
    }

    /**
     * Lets admitted jobs of a limit key wait again, and frees their slots. A claim that began later may have a token
     * for one of them: it conflicts, as if the job's row had been written.
     *
     * @param jobs jobs in the queue from which processes claim, as the transaction has read them
     * @param tokensAt the version from which there is a token for one of them, if they wait for tokens
     */
    static CompletableFuture<?> putBack(
            Transaction tx, TypeKeys keys, String limitKey, Collection<LimitedJob> jobs, OptionalLong tokensAt) {
        return slots(tx, keys, limitKey).thenAccept(before -> {
            KeySlots after = before.withTaken(before.taken() - jobs.size());
            if (tokensAt.isPresent()) {
                setSlots(tx, keys, limitKey, before, after.waitingUntil(tokensAt.getAsLong()));
                touchPending(tx, keys); // the leader of the idle processes looks when to look again
            } else {
                setSlots(tx, keys, limitKey, before, after);
            }
            SlotRequest.leaveWaiting(tx, keys, limitKey);
            for (LimitedJob job : jobs) {
                tx.addWriteConflictKey(job.ref().dataKey());
                job.leaveQueue(tx);
                job.enterLimitedQueue(tx);
            }
        });
    }

    private static void touchPending(Transaction tx, TypeKeys keys) {
        IncompleteVersionstamps.touch(tx, QueueKeys.of(keys).watchesPending(), NO_USER_VERSION);
    }

    /** Wakes the processors of a type whose jobs this transaction has admitted. */
    public static void wakeProcessors(Transaction tx, TypeKeys keys) {
        touchPending(tx, keys);
        AdmittedTypes.add(tx, keys);
    }
}
