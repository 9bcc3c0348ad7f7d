package dev.couchjobs.internal.data;

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
 * The unit of work of one transaction, and the only code that writes a job's row.
 *
 * <p>{@link #edit} reads jobs in order to change them, and {@link #save} writes what they become. From the row before
 * and the row after it derives all the rest at once: the pending queue, the activity index, the payload's chunks, the
 * change feed, the counters, the keys that others watch, and the release of dependents. So these
 * always agree, also where a caller commits the transaction without another call.
 *
 * <p>All units of work that are opened on one transaction share what it wrote.
 */
public final class JobTransaction {
    /** So many jobs, with ids of the longest, still fit into one value. */
    private static final int TOGETHER_MAX = 80;

    private final Transaction tx;
    private final TransactionScope scope;
    private final OptionalLong token;

    private JobTransaction(Transaction tx, TransactionScope scope, OptionalLong token) {
        this.tx = tx;
        this.scope = scope;
        this.token = token;
    }

    /** {@return the unit of work of a transaction} */
    public static JobTransaction of(Transaction tx) {
        return new JobTransaction(tx, TransactionScope.of(tx), OptionalLong.empty());
    }

    /** {@return the same for one verb, whose entries in the feed bear a token: see {@link TokenSearch}} */
    public JobTransaction withToken(long token) {
        return new JobTransaction(tx, scope, OptionalLong.of(token));
    }

    /** {@return the transaction} */
    public Transaction tx() {
        return tx;
    }

    /** {@return what records what the steps of jobs in this transaction mean to others; made if there is none} */
    public ReleaseRecorder releases(Supplier<? extends ReleaseRecorder> maker) {
        return scope.releases(maker);
    }

    private ReleaseRecorder releases() {
        return scope.releases(() -> {
            throw new IllegalStateException("Rows of jobs are written by verbs only");
        });
    }

    /** {@return whether the verb runs in a transaction of the caller's, and so bears no token} */
    public boolean isJoined() {
        return token.isEmpty();
    }

    /**
     * Reads a job in order to change it; one whose row cannot be decoded is not there. Of several such steps on one job
     * in one transaction, each sees what the one before it wrote, also when the caller did not wait in between.
     */
    public <T> CompletableFuture<T> edit(JobRef ref, Function<Optional<JobRow>, CompletableFuture<T>> step) {
        TransactionScope.Turn<T> turn = scope.turn(List.of(ref.dataKey()), tx.getExecutor());
        return turn.end(
                turn.ready().thenCompose(ready -> JobTable.find(tx, ref)).thenCompose(step));
    }

    /**
     * The same for a step that needs something else as well, which is read at the same time as the job's row.
     *
     * @param beside begins to read it
     */
    public <S, T> CompletableFuture<T> edit(
            JobRef ref,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<Optional<JobRow>, S, CompletableFuture<T>> step) {
        TransactionScope.Turn<T> turn = scope.turn(List.of(ref.dataKey()), tx.getExecutor());
        return turn.end(turn.ready().thenCompose(ready -> with(JobTable.find(tx, ref), beside.get(), step)));
    }

    /** The same, but it fails if the job's row cannot be decoded. */
    public <S, T> CompletableFuture<T> editReadable(
            JobRef ref,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<Optional<JobRow>, S, CompletableFuture<T>> step) {
        TransactionScope.Turn<T> turn = scope.turn(List.of(ref.dataKey()), tx.getExecutor());
        return turn.end(turn.ready().thenCompose(ready -> with(JobTable.read(tx, ref), beside.get(), step)));
    }

    private static <R, S, T> CompletableFuture<T> with(
            CompletableFuture<R> row, CompletableFuture<S> beside, BiFunction<R, S, CompletableFuture<T>> step) {
        return row.thenCompose(found -> beside.thenCompose(also -> step.apply(found, also)));
    }

    /**
     * Reads several jobs in order to change them together, as {@link #edit} reads one.
     *
     * @param refs where they are, none of them twice
     * @param step is given their rows in the same order
     */
    public <T> CompletableFuture<T> editAll(
            List<JobRef> refs, Function<List<Optional<JobRow>>, CompletableFuture<T>> step) {
        return editAll(refs, () -> CompletableFuture.completedFuture(refs), (rows, none) -> step.apply(rows));
    }

    /** The same for a step that needs something else as well, which is read at the same time as the rows. */
    public <S, T> CompletableFuture<T> editAll(
            List<JobRef> refs,
            Supplier<CompletableFuture<S>> beside,
            BiFunction<List<Optional<JobRow>>, S, CompletableFuture<T>> step) {
        List<byte[]> dataKeys = refs.stream().map(JobRef::dataKey).toList();
        TransactionScope.Turn<T> turn = scope.turn(dataKeys, tx.getExecutor());
        return turn.end(turn.ready().thenCompose(ready -> {
            List<CompletableFuture<Optional<JobRow>>> rows =
                    refs.stream().map(ref -> JobTable.find(tx, ref)).toList();
            CompletableFuture<List<Optional<JobRow>>> all = CompletableFuture.allOf(
                            rows.toArray(CompletableFuture<?>[]::new))
                    .thenApply(
                            done -> rows.stream().map(CompletableFuture::join).toList());
            return with(all, beside.get(), step);
        }));
    }

    /** {@return the step on a job that this transaction is at or was at last, done or failed} */
    public CompletableFuture<?> lastEdit(JobRef ref) {
        return scope.lastTurn(ref.dataKey());
    }

    /** Lets a transaction that has read a job commit only if no heartbeat of the job has committed since. */
    public void conflictWithHeartbeats(JobRef ref) {
        tx.addReadConflictKey(ref.heartbeatsKey());
    }

    /** Writes a row, or removes it if there is to be none, and writes all that follows from it. */
    public void save(JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        SharedRows shared = sharedRows(ref.keys(), List.of(ref.dataKey()));
        write(new RowChange(ref, before, after), shared);
        shared.save(scope.shard(ref.id()), token);
    }

    /**
     * Writes the rows of several jobs, and all that follows from them. What can be one row for all jobs of a type, such
     * as their entry in the feed, is one.
     *
     * @param changes the jobs, each once
     */
    public void saveAll(List<RowChange> changes) {
        Map<TypeKeys, List<RowChange>> byType = new LinkedHashMap<>();
        changes.forEach(change -> byType.computeIfAbsent(change.ref().keys(), type -> new ArrayList<>())
                .add(change));
        byType.values().forEach(ofType -> partition(ofType).forEach(this::saveTogether));
    }

    /** Removes what is kept beside the row of a job that cannot be decoded. */
    public void clearBeside(JobRef ref) {
        TypeKeys keys = ref.keys();
        String id = ref.id();
        Stream.of(keys.payload(id), keys.result(id), keys.attempts(id), keys.log(id))
                .forEach(each -> tx.clear(each.range()));
    }

    /**
     * Writes a row that was in quarantine, and its rows in the indexes, which have been cleared meanwhile.
     *
     * @param was the row, as it was counted
     * @param now the row to be
     */
    public void restore(JobRef ref, JobRow was, JobRow now) {
        SharedRows shared = sharedRows(ref.keys(), List.of(ref.dataKey()));
        tx.set(ref.dataKey(), now.encode().pack());
        shared.restore(ref, was, now);
        if (QueueIndex.replace(tx, ref, null, now)) {
            shared.wakeProcessors();
        }
        saveDeadLetter(ref, null, now);
        scope.remember(ref.dataKey(), now);
        shared.save(scope.shard(ref.id()), OptionalLong.empty());
    }

    /** Whether this very transaction gave the job an activity row of its own, which it is not to share from now on. */
    private static boolean hasActivityRowToCome(RowChange change) {
        JobRow after = change.after();
        return after != null && after.awaitsCommit() && !after.claimInfo().shared();
    }

    /** {@return the changes in portions such that those of one portion share their rows} */
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
     * Writes the rows of jobs of one type that share what can be shared, no more of them than one of the portions of
     * {@link #partition} has.
     *
     * @return the user version in their stamps
     */
    public int saveTogether(List<RowChange> changes) {
        JobRef first = changes.get(0).ref();
        SharedRows shared = sharedRows(
                first.keys(),
                changes.stream().map(change -> change.ref().dataKey()).toList());
        changes.forEach(change -> write(change, shared));
        shared.save(scope.shard(first.id()), token);
        return shared.userVersion();
    }

    private SharedRows sharedRows(TypeKeys keys, List<byte[]> dataKeys) {
        return new SharedRows(tx, keys, scope.userVersion(dataKeys));
    }

    private void write(RowChange change, SharedRows shared) {
        JobRef ref = change.ref();
        JobRow before = change.before();
        JobRow after = change.after();
        JobRow told =
                after == null ? null : (before == null ? after : after.after(before)).stamped(shared.userVersion());
        JobRow kept = told == null || told.vanishes() ? null : told;
        JobRow next = releases().record(tx, new RowChange(ref, before, told), kept);
        conflict(ref, before, next);
        if (next == null) {
            tx.clear(ref.dataKey());
        } else if (next.awaitsCommit()) {
            IncompleteVersionstamps.setStampedValue(tx, ref.dataKey(), next.encode());
        } else {
            tx.set(ref.dataKey(), next.encode().pack());
        }
        shared.note(ref, before, next, told);
        if (QueueIndex.replace(tx, ref, before, next)) {
            shared.wakeProcessors();
        }
        clearActivity(ref, before, next);
        savePayloads(ref, before, next);
        saveDeadLetter(ref, before, next);
        AttemptLog.replace(tx, ref, before, next);
        JobLog.replace(tx, ref, before, next);
        scope.remember(ref.dataKey(), next);
    }

    /** Writes an entry in the feed for a job that is as it was but for what is kept beside its row. */
    void tell(JobRef ref, JobState state) {
        int userVersion = scope.userVersion(List.of(ref.dataKey()));
        ChangeFeed.append(tx, ref.keys(), userVersion, List.of(new ChangeFeed.Entry(ref.id(), state)), token);
    }

    /**
     * A heartbeat conflicts neither with its holder's own transactions, however long these take, nor with those that
     * only read the job. A transaction that writes the row without a heartbeat of its own must not lose one: a row that
     * names an older commit than the activity index is never found silent.
     */
    private void conflict(JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        if (before != null && next != null && next.isHeartbeatAfter(before)) {
            tx.addWriteConflictKey(ref.heartbeatsKey());
            tx.options().setNextWriteNoWriteConflictRange();
        } else if (next != null && next.isAsOldAs(before)) {
            conflictWithHeartbeats(ref);
        }
    }

    /**
     * A row that stands for several jobs is left to the code that knows that none of them needs it any more. One whose
     * stamp this very transaction is to fill in cannot be taken back: if the job is updated and finished in one
     * transaction it stays behind. The activity monitor clears away what is left.
     */
    private void clearActivity(JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        if (before == null || before.sequence() == null || before.claimInfo().shared()) {
            return;
        }
        Versionstamp old = before.sequence();
        if (old.isComplete() && !old.equals(next == null ? null : next.sequence())) {
            ActivityIndex.clear(tx, ref.keys(), old);
        }
    }

    private void savePayloads(JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
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

    private void saveDeadLetter(JobRef ref, @Nullable JobRow before, @Nullable JobRow next) {
        IndexKey.move(tx, deadLetter(ref, before), deadLetter(ref, next));
    }

    private static Optional<byte[]> deadLetter(JobRef ref, @Nullable JobRow row) {
        return row == null || row.state() != JobState.FINISHED || row.outcome() != Outcome.FAILED
                ? Optional.empty()
                : Optional.of(ref.keys()
                        .dead(row.claimEnd() == null ? 0 : row.claimEnd().at(), ref.id()));
    }
}
