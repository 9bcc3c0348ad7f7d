package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The main jobs table and everything that follows from it.
 *
 * <p>A job's {@code data} row is the single point of mutual exclusion: every transition reads it, in a way that
 * conflicts with other transitions, and writes it. {@link #save} is the only place where a row is written, and it
 * derives all the rest from the row before and the row after: the pending queue, the activity index, the payload's
 * chunks, the change feed, the keys that others watch, and what is to be told to jobs that wait for this one. So these
 * always agree.
 */
public final class JobTable {
    /** So many jobs, with ids of the longest, still fit into one value. */
    private static final int TOGETHER_MAX = 80;

    private JobTable() {}

    /** {@return its row, as this transaction left it if it wrote it} */
    public static CompletableFuture<Optional<JobRow>> read(ReadTransaction tx, JobRef ref) {
        byte[] key = ref.dataKey();
        Optional<TransactionScope.Written> written = TransactionScope.written(tx, key);
        if (written.isPresent()) {
            return CompletableFuture.completedFuture(written.get().row());
        }
        return tx.get(key)
                .thenApply(value -> Optional.ofNullable(value).map(bytes -> decode(ref, new KeyValue(key, bytes))));
    }

    /** {@return what the row of a job says} */
    public static JobRow decode(JobRef ref, KeyValue row) {
        return Quarantine.decode(ref.keys(), row, each -> JobRow.decode(each.getValue()));
    }

    /** Removes what is kept beside the row of a job that cannot tell what there is. */
    public static void clearBeside(Transaction tx, JobRef ref) {
        TypeKeys keys = ref.keys();
        String id = ref.id();
        Stream.of(keys.payload(id), keys.result(id), keys.attempts(id), keys.log(id))
                .forEach(each -> tx.clear(each.range()));
    }

    /**
     * {@return its row, as this transaction left it; nothing if it cannot be decoded, and then it is out of the way}
     */
    public static CompletableFuture<Optional<JobRow>> find(ReadTransaction tx, JobRef ref) {
        byte[] key = ref.dataKey();
        Optional<TransactionScope.Written> written = TransactionScope.written(tx, key);
        if (written.isPresent()) {
            return CompletableFuture.completedFuture(written.get().row());
        }
        return tx.get(key).thenApply(value -> Quarantine.readable(tx, ref.keys(), key, value, JobRow::decode));
    }

    /**
     * {@return whether a transaction has written jobs of a type, so that their rows in the indexes cannot be read
     * there}
     */
    static boolean hasWritten(ReadTransaction tx, TypeKeys keys) {
        return !TransactionScope.writtenWithin(tx, keys.dataAfter("")).isEmpty();
    }

    /**
     * Some rows of a type.
     *
     * @param byId the rows by id, in order
     * @param hasPassedOver whether there are others between them that cannot be decoded
     */
    public record Rows(Map<String, JobRow> byId, boolean hasPassedOver) {}

    /** {@return rows by id, in order, as this transaction left them} */
    public static CompletableFuture<Rows> list(ReadTransaction tx, TypeKeys keys, String after, int limit) {
        return new PageReader(tx, keys, after, limit).read();
    }

    /**
     * Reads a job in order to change it; one whose row cannot be decoded is not there. Of several such steps on one job
     * in one transaction, each sees what the one before it wrote, also when the caller did not wait in between.
     */
    public static <T> CompletableFuture<T> edit(
            Transaction tx, JobRef ref, Function<Optional<JobRow>, CompletableFuture<T>> step) {
        return TransactionScope.of(tx)
                .inTurn(
                        List.of(ref.dataKey()),
                        tx.getExecutor(),
                        () -> find(tx, ref).thenCompose(step));
    }

    /**
     * The same for a step that needs something else as well, which is read at the same time as the job's row.
     *
     * @param beside begins to read it
     */
    public static <S, T> CompletableFuture<T> edit(
            Transaction tx,
            JobRef ref,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<Optional<JobRow>, S, CompletableFuture<T>> step) {
        return editAll(tx, List.of(ref), beside, (rows, other) -> step.apply(rows.get(0), other));
    }

    /** The same, but it fails if the job's row cannot be decoded. */
    public static <S, T> CompletableFuture<T> editReadable(
            Transaction tx,
            JobRef ref,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<Optional<JobRow>, S, CompletableFuture<T>> step) {
        return TransactionScope.of(tx).inTurn(List.of(ref.dataKey()), tx.getExecutor(), () -> {
            CompletableFuture<Optional<JobRow>> row = read(tx, ref);
            CompletableFuture<S> other = beside.get();
            return row.thenCompose(found -> other.thenCompose(also -> step.apply(found, also)));
        });
    }

    /** {@return the step on a job that this transaction is at or was at last, done or failed} */
    public static CompletableFuture<?> lastEdit(Transaction tx, JobRef ref) {
        return TransactionScope.of(tx).lastTurn(ref.dataKey());
    }

    /**
     * Reads several jobs in order to change them together, as {@link #edit} reads one.
     *
     * @param refs where they are, none of them twice
     * @param step is given their rows in the same order
     */
    public static <T> CompletableFuture<T> editAll(
            Transaction tx, List<JobRef> refs, Function<List<Optional<JobRow>>, CompletableFuture<T>> step) {
        return editAll(tx, refs, () -> CompletableFuture.completedFuture(refs), (rows, none) -> step.apply(rows));
    }

    /** The same for a step that needs something else as well, which is read at the same time as the rows. */
    public static <S, T> CompletableFuture<T> editAll(
            Transaction tx,
            List<JobRef> refs,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<List<Optional<JobRow>>, S, CompletableFuture<T>> step) {
        List<byte[]> dataKeys = refs.stream().map(JobRef::dataKey).toList();
        return TransactionScope.of(tx).inTurn(dataKeys, tx.getExecutor(), () -> {
            List<CompletableFuture<Optional<JobRow>>> rows =
                    refs.stream().map(ref -> find(tx, ref)).toList();
            CompletableFuture<S> other = beside.get();
            return CompletableFuture.allOf(rows.toArray(CompletableFuture<?>[]::new))
                    .thenCompose(done -> other)
                    .thenCompose(found -> step.apply(
                            rows.stream().map(CompletableFuture::join).toList(), found));
        });
    }

    /**
     * Reads a job that is perhaps to be changed, without a conflict over it before that. A client keeps what a
     * transaction has read: so the change then need not wait for another answer.
     */
    public static CompletableFuture<?> prefetch(Transaction tx, JobRef ref) {
        return find(tx.snapshot(), ref);
    }

    /** Lets a transaction that has read a job commit only if no heartbeat of the job has committed since. */
    public static void conflictWithHeartbeats(Transaction tx, JobRef ref) {
        tx.addReadConflictKey(ref.heartbeatsKey());
    }

    /**
     * One job, as it is and as it is to be.
     *
     * @param ref where it is
     * @param before its row as this transaction has read it, or null if there is none
     * @param after its row to be, or null to remove it
     */
    public record RowChange(
            JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {}

    /** Writes a row and all that follows from it. */
    public static void save(
            Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after, OptionalLong token) {
        saveTogether(tx, ref.keys(), List.of(new RowChange(ref, before, after)), token);
    }

    /**
     * Writes the rows of several jobs of one type, and all that follows from them; what can be one row for all of them,
     * such as their entry in the feed, is one.
     *
     * @param changes the jobs, each once
     */
    public static void saveAll(Transaction tx, TypeKeys keys, List<RowChange> changes, OptionalLong token) {
        for (List<RowChange> some : partition(changes)) {
            saveTogether(tx, keys, some, token);
        }
    }

    /** Does the same for jobs of any types. */
    public static void saveAll(Transaction tx, List<RowChange> changes, OptionalLong token) {
        Map<TypeKeys, List<RowChange>> byType = new LinkedHashMap<>();
        changes.forEach(change -> byType.computeIfAbsent(change.ref().keys(), type -> new ArrayList<>())
                .add(change));
        byType.forEach((type, ofType) -> saveAll(tx, type, ofType, token));
    }

    /**
     * Writes a row that was in quarantine, and its rows in the indexes, which have been cleared meanwhile.
     *
     * @param was the row, as it was counted
     * @param now the row to be
     */
    public static void restore(Transaction tx, JobRef ref, JobRow was, JobRow now) {
        TransactionScope scope = TransactionScope.of(tx);
        int userVersion = scope.userVersion(List.of(ref.dataKey()));
        SharedRows shared = new SharedRows(tx, ref.keys(), userVersion);
        saveRow(tx, ref, null, now);
        shared.restore(ref, was, now);
        if (QueueIndex.replace(tx, ref, null, now)) {
            shared.wakeProcessors();
        }
        saveDeadLetter(tx, ref, null, now);
        scope.remember(ref.dataKey(), now);
        shared.save(scope.shard(ref.id()), OptionalLong.empty());
    }

    /** Whether this very transaction gave the job an activity row of its own, which it is not to share from now on. */
    private static boolean hasActivityRowToCome(RowChange change) {
        JobRow after = change.after();
        return after != null && after.awaitsCommit() && !after.claimInfo().shared();
    }

    /** {@return the steps in portions such that those of one portion share their rows} */
    public static List<List<RowChange>> partition(List<RowChange> changes) {
        List<List<RowChange>> portions = new ArrayList<>();
        List<RowChange> together = new ArrayList<>(changes.size());
        for (RowChange change : changes) {
            if (hasActivityRowToCome(change)) {
                portions.add(List.of(change));
            } else {
                together.add(change);
            }
        }
        for (int from = 0; from < together.size(); from += TOGETHER_MAX) {
            portions.add(together.subList(from, Math.min(together.size(), from + TOGETHER_MAX)));
        }
        return portions;
    }

    /**
     * Writes the rows of jobs that share what can be shared, no more of them than one of the portions of
     * {@link #partition} has.
     *
     * @return the user version in their stamps
     */
    public static int saveTogether(Transaction tx, TypeKeys keys, List<RowChange> changes, OptionalLong token) {
        TransactionScope scope = TransactionScope.of(tx);
        int userVersion = scope.userVersion(
                changes.stream().map(change -> change.ref().dataKey()).toList());
        SharedRows shared = new SharedRows(tx, keys, userVersion);
        for (RowChange change : changes) {
            JobRef ref = change.ref();
            JobRow before = change.before();
            JobRow after = change.after();
            JobRow told = after == null ? null : (before == null ? after : after.after(before)).stamped(userVersion);
            JobRow next = ReleaseOutbox.leave(tx, ref, before, told, told == null || told.vanishes() ? null : told);
            saveRow(tx, ref, before, next);
            shared.note(ref, before, next, told);
            if (QueueIndex.replace(tx, ref, before, next)) {
                shared.wakeProcessors();
            }
            clearActivity(tx, ref, before, next);
            savePayloads(tx, ref, before, next);
            saveDeadLetter(tx, ref, before, next);
            AttemptLog.replace(tx, ref, before, next);
            JobLog.replace(tx, ref, before, next);
            scope.remember(ref.dataKey(), next);
        }
        shared.save(scope.shard(changes.get(0).ref().id()), token);
        return userVersion;
    }

    /**
     * A heartbeat conflicts neither with its holder's own transactions, however long these take, nor with those that
     * only read the job. A transaction that writes the row without a heartbeat of its own must not lose one: a row that
     * names an older commit than the activity index is never found silent.
     */
    private static void saveRow(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        if (before != null && next != null && next.isHeartbeatAfter(before)) {
            tx.addWriteConflictKey(ref.heartbeatsKey());
            tx.options().setNextWriteNoWriteConflictRange();
        } else if (next != null && next.isAsOldAs(before)) {
            conflictWithHeartbeats(tx, ref);
        }
        if (next == null) {
            tx.clear(ref.dataKey());
        } else if (next.awaitsCommit()) {
            IncompleteVersionstamps.setStampedValue(tx, ref.dataKey(), next.encode());
        } else {
            tx.set(ref.dataKey(), next.encode().pack());
        }
    }

    /**
     * A row that stands for several jobs is left to the code that knows that none of them needs it any more. One whose
     * stamp this very transaction is to fill in cannot be taken back: if the job is updated and finished in one
     * transaction it stays behind. The activity monitor clears away what is left.
     */
    private static void clearActivity(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        if (before == null || before.sequence() == null || before.claimInfo().shared()) {
            return;
        }
        Versionstamp old = before.sequence();
        if (old.isComplete() && !old.equals(next == null ? null : next.sequence())) {
            ActivityIndex.clear(tx, ref.keys(), old);
        }
    }

    private static void savePayloads(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        Payload.replace(
                tx,
                () -> ref.keys().payload(ref.id()),
                before == null ? null : before.payload(),
                next == null ? null : next.payload());
        Payload.replace(tx, () -> ref.keys().result(ref.id()), result(before), result(next));
    }

    private static @Nullable Payload result(@Nullable JobRow row) {
        return row == null || row.claimEnd() == null ? null : row.claimEnd().result();
    }

    private static void saveDeadLetter(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        IndexKey.move(tx, deadLetter(ref, before), deadLetter(ref, next));
    }

    private static Optional<byte[]> deadLetter(JobRef ref, @Nullable JobRow row) {
        return row == null || row.state() != JobState.FINISHED || row.outcome() != Outcome.FAILED
                ? Optional.empty()
                : Optional.of(ref.keys()
                        .dead(row.claimEnd() == null ? 0 : row.claimEnd().at(), ref.id()));
    }
}
