package dev.couchjobs.internal.feature;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.job.RowReader;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.job.WrittenRows;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.RowKey;
import dev.couchjobs.internal.rows.TransactionScope;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the jobs of one transaction. Only this class writes a job's row.
 *
 * <p>{@link #edit} reads a job to change it, and {@link #save} writes the new row. All other rows follow from the row
 * before and the row after: each {@link Index} writes its own in the same call, so they always agree, even if the
 * caller commits the transaction without another call. What needs reads is settled at the end of the verb.
 *
 * <p>All objects of this class for one transaction share its {@link TransactionScope}.
 */
public final class JobStore {
    /** As many jobs with ids of the maximum length fit into one value. */
    public static final int TOGETHER_MAX = 80;

    private final Transaction tx;
    private final TransactionScope scope;
    private final OptionalLong token;
    /** The keys in whose place in the edit order this object edits, each with the edit before; mostly none. */
    private final Map<RowKey, CompletableFuture<?>> held;

    private JobStore(
            Transaction tx, TransactionScope scope, OptionalLong token, Map<RowKey, CompletableFuture<?>> held) {
        this.tx = tx;
        this.scope = scope;
        this.token = token;
        this.held = held;
    }

    /** {@return the jobs of a transaction} */
    public static JobStore of(Transaction tx) {
        return new JobStore(tx, TransactionScope.of(tx), OptionalLong.empty(), Map.of());
    }

    /** Discards what this process knows of a transaction that has ended. */
    public static void discard(Transaction ended) {
        TransactionScope.discard(ended);
    }

    /** {@return a copy for one verb, whose entries in the feed contain a token; see {@code TokenSearch}} */
    public JobStore withToken(long token) {
        return new JobStore(tx, scope, OptionalLong.of(token), held);
    }

    /** {@return the transaction} */
    public Transaction tx() {
        return tx;
    }

    /**
     * {@return the changes of jobs by a transaction since the last call for a settler}
     *
     * @param settler its number, from 0
     * @param settlers how many settlers there are
     */
    public static List<SavedChange> takeChanges(Transaction tx, int settler, int settlers) {
        ChangeList changes = TransactionScope.of(tx).state(ChangeList.class);
        return changes == null ? List.of() : changes.take(settler, settlers);
    }

    /** What is written with the rows of jobs. */
    public static final class Writers {
        private final ReleaseRecorder releases;
        private final Index[] indexes;

        /**
         * @param releases writes release notices
         * @param indexes the rows that follow from those of jobs
         */
        public Writers(ReleaseRecorder releases, Index... indexes) {
            this.releases = releases;
            this.indexes = indexes.clone();
        }
    }

    /** Lets verbs write the rows of jobs in a transaction. */
    public static void prepare(Transaction tx, Writers writers) {
        var unused = TransactionScope.of(tx).state(Writers.class, () -> writers);
    }

    private Writers writers() {
        Writers writers = scope.state(Writers.class);
        if (writers == null) {
            throw new IllegalStateException("Rows of jobs are written by verbs only");
        }
        return writers;
    }

    /** {@return the number of the shard for a transaction, which is the same in each call} */
    public static int shard(Transaction tx, String name) {
        return TransactionScope.of(tx).shard(name);
    }

    /** {@return what a feature knows of a transaction, made by the first call} */
    public static <T> T state(Transaction tx, Class<T> kind, Supplier<T> maker) {
        return TransactionScope.of(tx).state(kind, maker);
    }

    /** {@return what a feature knows of a transaction, if it knows anything} */
    public static <T> Optional<T> stateOf(ReadTransaction tx, Class<T> kind) {
        return TransactionScope.stateOf(tx, kind);
    }

    /** {@return the row of a job as a transaction has last written it; empty if it has not, or has removed it} */
    public static Optional<JobRow> written(Transaction tx, JobRef ref) {
        return WrittenRows.find(tx, ref.rowKey()).flatMap(WrittenRows.Written::row);
    }

    /** Records that an earlier try of a transaction has failed. */
    public static void markRetry(Transaction tx) {
        TransactionScope.of(tx).markRetry();
    }

    /** {@return whether a transaction has changed jobs} */
    public static boolean hasChanged(ReadTransaction tx) {
        return TransactionScope.hasChanged(tx);
    }

    /** {@return whether an earlier try of a transaction has failed} */
    public static boolean isRetry(Transaction tx) {
        return TransactionScope.isRetry(tx);
    }

    /** {@return whether this transaction has added a job again after its end or removal} */
    public static boolean isAddedAgain(Transaction tx, JobRef ended) {
        return written(tx, ended)
                .filter(row -> row.state() != JobState.FINISHED)
                .isPresent();
    }

    /** {@return whether the verb runs in the caller's transaction, and so has no token} */
    public boolean isJoined() {
        return token.isEmpty();
    }

    /**
     * Reads a job in order to change it. A job whose row cannot be decoded does not exist. Edits of one job run in the
     * order of the calls, even if the caller does not wait in between: each sees the writes of the edits before it.
     */
    public <T> CompletableFuture<T> edit(JobRef ref, Function<Optional<JobRow>, CompletableFuture<T>> step) {
        TransactionScope.OrderedEdit<T> edit = queueEdit(List.of(ref.rowKey()));
        return edit.end(
                edit.ready().thenCompose(ready -> JobTable.find(tx, ref)).thenCompose(step));
    }

    /**
     * Edits a job with a further value, which is read in parallel with the job's row.
     *
     * @param beside starts to read the value
     */
    public <S, T> CompletableFuture<T> edit(
            JobRef ref,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<Optional<JobRow>, S, CompletableFuture<T>> step) {
        TransactionScope.OrderedEdit<T> edit = queueEdit(List.of(ref.rowKey()));
        return edit.end(edit.ready().thenCompose(ready -> with(JobTable.find(tx, ref), beside.get(), step)));
    }

    /** Edits a job with a further value, and fails if the job's row cannot be decoded. */
    public <S, T> CompletableFuture<T> editReadable(
            JobRef ref,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<Optional<JobRow>, S, CompletableFuture<T>> step) {
        TransactionScope.OrderedEdit<T> edit = queueEdit(List.of(ref.rowKey()));
        return edit.end(edit.ready().thenCompose(ready -> with(JobTable.read(tx, ref), beside.get(), step)));
    }

    private static <R, S, T> CompletableFuture<T> with(
            CompletableFuture<R> row, CompletableFuture<S> beside, BiFunction<R, S, CompletableFuture<T>> step) {
        return row.thenCompose(before -> beside.thenCompose(value -> step.apply(before, value)));
    }

    /**
     * Reads several jobs in order to change them together, as {@link #edit} reads one.
     *
     * @param refs the jobs, without duplicates
     * @param step receives their rows in the same order
     */
    public <T> CompletableFuture<T> editAll(
            List<JobRef> refs, Function<List<Optional<JobRow>>, CompletableFuture<T>> step) {
        return editAll(refs, () -> CompletableFuture.completedFuture(refs), (rows, none) -> step.apply(rows));
    }

    /** Edits several jobs with a further value, which is read in parallel with the rows. */
    public <S, T> CompletableFuture<T> editAll(
            List<JobRef> refs,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<List<Optional<JobRow>>, S, CompletableFuture<T>> step) {
        List<RowKey> rowKeys = refs.stream().map(JobRef::rowKey).toList();
        TransactionScope.OrderedEdit<T> edit = queueEdit(rowKeys);
        return edit.end(edit.ready().thenCompose(ready -> {
            CompletableFuture<List<Optional<JobRow>>> rows =
                    isJoined() ? RowReader.readEach(tx, refs) : JobTable.findAll(tx, refs);
            return with(rows, beside.get(), step);
        }));
    }

    /**
     * Runs a step that reads and writes rows other than those of jobs. Steps with a key in common run in the order of
     * the calls, even if the caller does not wait in between.
     */
    public <T> CompletableFuture<T> inOrder(List<byte[]> keys, Supplier<CompletableFuture<T>> step) {
        List<RowKey> rowKeys = keys.stream().map(RowKey::new).distinct().toList();
        TransactionScope.OrderedEdit<T> edit = queueEdit(rowKeys);
        return edit.end(edit.ready().thenCompose(ready -> step.get()));
    }

    /**
     * Runs a step, as {@link #inOrder(List, Supplier)} does, that may also edit some jobs. It must wait for edits of no
     * other jobs: these may wait for it.
     *
     * @param refs the jobs
     * @param step receives the jobs of the transaction, with which edits of these jobs run in the place of the step
     */
    public <T> CompletableFuture<T> inOrder(
            List<byte[]> keys, List<JobRef> refs, Function<JobStore, CompletableFuture<T>> step) {
        Set<RowKey> rowKeys = Stream.concat(
                        keys.stream().map(RowKey::new), refs.stream().map(JobRef::rowKey))
                .collect(Collectors.toUnmodifiableSet());
        Map<RowKey, CompletableFuture<?>> before = new HashMap<>();
        TransactionScope.OrderedEdit<T> edit = scope.queueEdit(rowKeys, GuardedExecutor.of(tx), before::put);
        JobStore holding = new JobStore(tx, scope, token, before);
        return edit.end(edit.ready().thenCompose(ready -> step.apply(holding)));
    }

    private <T> TransactionScope.OrderedEdit<T> queueEdit(Collection<RowKey> rowKeys) {
        Collection<RowKey> others = held.isEmpty()
                ? rowKeys
                : rowKeys.stream().filter(key -> !held.containsKey(key)).toList();
        return scope.queueEdit(others, GuardedExecutor.of(tx));
    }

    /** How often a transaction had changed some rows that jobs share: unique keys, groups of expected jobs. */
    public static final class KeyChanges {
        /** Of no keys. */
        public static final KeyChanges NONE = new KeyChanges(Map.of());

        private final Map<RowKey, Integer> counts;

        private KeyChanges(Map<RowKey, Integer> counts) {
            this.counts = counts;
        }
    }

    /**
     * {@return how often this transaction has changed some rows that jobs share}
     *
     * @param keys the keys of the rows
     */
    public KeyChanges changesOf(List<byte[]> keys) {
        return new KeyChanges(
                keys.stream().map(RowKey::new).distinct().collect(Collectors.toMap(key -> key, scope::changesOf)));
    }

    /**
     * Writes jobs as {@link #saveAll} does, if the transaction has not written jobs with some unique keys meanwhile.
     *
     * @param since how often it had written them when the caller began to read
     * @return whether it has written them
     */
    public boolean saveIfUnchanged(KeyChanges since, List<RowChange> changes) {
        return scope.ifUnchanged(since.counts, () -> saveAll(changes));
    }

    /** Writes one job likewise. */
    public boolean saveIfUnchanged(KeyChanges since, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        return scope.ifUnchanged(since.counts, () -> save(ref, before, after));
    }

    /**
     * Changes rows that jobs share, if the transaction has not changed them meanwhile.
     *
     * @return whether it has changed them
     */
    public boolean changeIfUnchanged(KeyChanges since, Runnable change) {
        return scope.ifUnchanged(since.counts, () -> {
            change.run();
            since.counts.keySet().forEach(scope::countChange);
        });
    }

    /** {@return the last edit of a job that this transaction has queued before, which may have ended} */
    public CompletableFuture<?> lastEdit(JobRef ref) {
        CompletableFuture<?> before = held.get(ref.rowKey());
        return before == null ? scope.lastEdit(ref.rowKey()) : before;
    }

    /** Lets a transaction that has read a job commit only if no heartbeat of the job has committed since. */
    public void conflictWithHeartbeats(JobRef ref) {
        tx.addReadConflictKey(ref.heartbeatsKey());
    }

    /** Writes or removes a row, and all rows that are derived from it. */
    public void save(JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        var unused = saveTogether(List.of(new RowChange(ref, before, after)));
    }

    /**
     * Writes the rows of several jobs, and all rows that are derived from them. The jobs of a type share derived rows
     * where possible, such as their row in the feed.
     *
     * @param changes the changes, one for each job
     */
    public void saveAll(List<RowChange> changes) {
        Map<TypeKeys, List<RowChange>> byType = new LinkedHashMap<>();
        changes.forEach(change -> byType.computeIfAbsent(change.ref().keys(), type -> new ArrayList<>())
                .add(change));
        byType.values().forEach(ofType -> partition(ofType).forEach(this::saveTogether));
    }

    /** Writes the rows of a job in the indexes again, because one was lost. Its place in a sequence stays. */
    public void reindex(JobRef ref, JobRow row) {
        WrittenRows.remember(scope, ref.rowKey(), row);
        index(
                ref,
                scope.userVersion(List.of(ref.rowKey())),
                OptionalLong.empty(),
                new SavedChange(ref, row, row, row, SavedChange.Origin.UNINDEXED));
    }

    /**
     * Writes a row that was in quarantine, and its rows in the indexes, which may have been cleared meanwhile.
     *
     * @param was the row as the counters include it
     * @param restored the row to write
     */
    public void restore(JobRef ref, JobRow was, JobRow restored) {
        JobRow now = Objects.requireNonNull(SequencePlace.holdBack(null, restored));
        now.write(tx, ref.dataKey());
        WrittenRows.remember(scope, ref.rowKey(), now);
        index(
                ref,
                scope.userVersion(List.of(ref.rowKey())),
                OptionalLong.empty(),
                new SavedChange(ref, was, now, now, SavedChange.Origin.QUARANTINE));
    }

    /** Whether this transaction writes an activity row for this job alone, which no other job may share. */
    private static boolean hasActivityRowToCome(RowChange change) {
        JobRow after = change.after();
        return after != null && after.awaitsCommit() && !after.claimInfo().shared();
    }

    /** {@return the changes in parts whose jobs share derived rows} */
    public static List<List<RowChange>> partition(List<RowChange> changes) {
        List<List<RowChange>> parts = new ArrayList<>();
        List<RowChange> shareable = new ArrayList<>(changes.size());
        for (RowChange change : changes) {
            if (hasActivityRowToCome(change)) {
                parts.add(List.of(change));
            } else {
                shareable.add(change);
            }
        }
        for (int from = 0; from < shareable.size(); from += TOGETHER_MAX) {
            parts.add(shareable.subList(from, Math.min(shareable.size(), from + TOGETHER_MAX)));
        }
        return parts;
    }

    /**
     * Writes the rows of jobs of one type with shared derived rows.
     *
     * @param changes one part of {@link #partition}
     * @return the user version of the shared rows
     */
    public int saveTogether(List<RowChange> changes) {
        Writers writers = writers();
        List<RowKey> rowKeys = changes.size() == 1
                ? List.of(changes.get(0).ref().rowKey())
                : changes.stream().map(change -> change.ref().rowKey()).toList();
        int userVersion = scope.userVersion(rowKeys);
        SavedChange[] saved = new SavedChange[changes.size()];
        for (int i = 0; i < saved.length; i++) {
            saved[i] = write(changes.get(i), userVersion, writers);
        }
        index(changes.get(0).ref(), userVersion, token, saved);
        return userVersion;
    }

    private void index(JobRef first, int userVersion, OptionalLong verb, SavedChange... saved) {
        Changes changes = new Changes(tx, first.keys(), userVersion, scope.shard(first.id()), verb, saved);
        for (Index index : writers().indexes) {
            index.write(changes);
        }
        ChangeList.of(scope).add(saved);
    }

    private SavedChange write(RowChange change, int userVersion, Writers writers) {
        JobRef ref = change.ref();
        JobRow before = change.before();
        JobRow after = SequencePlace.holdBack(before, change.after());
        JobRow event = after == null ? null : (before == null ? after : after.after(before)).stamped(userVersion);
        JobRow kept = event == null || event.vanishes() ? null : event;
        JobRow next = writers.releases.record(tx, new RowChange(ref, before, event), kept);
        conflict(ref, before, next);
        if (next == null) {
            tx.clear(ref.dataKey());
        } else {
            next.write(tx, ref.dataKey());
        }
        savePayloads(ref, before, next);
        WrittenRows.remember(scope, ref.rowKey(), next);
        return new SavedChange(
                ref, before, event, next, change.isDequeued() ? SavedChange.Origin.DEQUEUED : SavedChange.Origin.TABLE);
    }

    /** Counts a change of a row that jobs share, after it was written: see {@link #changesOf}. */
    public static void countChange(Transaction tx, byte[] key) {
        TransactionScope.of(tx).countChange(new RowKey(key));
    }

    /** {@return the user version of rows that belong to a job that is not written} */
    public int userVersion(JobRef ref) {
        return scope.userVersion(List.of(ref.rowKey()));
    }

    /** {@return the token of the verb, if it has a transaction of its own} */
    public OptionalLong token() {
        return token;
    }

    /**
     * Sets the conflict ranges of a write. A heartbeat conflicts neither with its holder's own transactions, however
     * long they take, nor with transactions that only read the job. A transaction that writes the row without a
     * heartbeat must not overwrite one: no monitor finds a row whose sequence is older than its activity row.
     */
    private void conflict(JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        if (before != null && next != null && next.isHeartbeatAfter(before)) {
            tx.addWriteConflictKey(ref.heartbeatsKey());
            tx.options().setNextWriteNoWriteConflictRange();
        } else if (next != null && next.isAsOldAs(before)) {
            conflictWithHeartbeats(ref);
        }
    }

    private void savePayloads(JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        Payload.replace(
                tx,
                () -> Payload.dataChunks(ref),
                before == null ? null : before.payload(),
                next == null ? null : next.payload());
        Payload.replace(tx, () -> Payload.resultChunks(ref), result(before), result(next));
    }

    private static @Nullable Payload result(@Nullable JobRow row) {
        return row == null || row.claimEnd() == null ? null : row.claimEnd().result();
    }
}
