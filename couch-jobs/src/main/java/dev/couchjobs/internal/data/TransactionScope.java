package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.TooManyJobsException;
import dev.couchjobs.internal.futures.Futures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of couch-jobs for one transaction: the rows that were written in it, the user versions that were assigned,
 * and the edit order of jobs.
 *
 * <p>A row that contains the versionstamp of its own commit cannot be read before the commit (error 1036), and two jobs
 * that change in one transaction need different user versions, or their index rows would have the same key. Both belong
 * to the transaction, not to an instance of the library, so all instances of a process share the scopes. A scope of
 * the library's own transactions is discarded when they end; others are garbage-collected with their transactions.
 */
final class TransactionScope {
    private static final int USER_VERSION_MAX = 0xFFFF;

    private static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(Optional.empty());

    private static final Cache<Object, TransactionScope> SCOPES =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    @GuardedBy("this") private final Map<RowKey, Entry> entries = new HashMap<>();

    @GuardedBy("this") private int userVersions;

    @GuardedBy("this") private @Nullable Integer shard;

    private volatile boolean allowsQuarantine;

    @GuardedBy("this") private @Nullable ReleaseRecorder releases;

    @GuardedBy("this") private final Set<TypeKeys> used = new LinkedHashSet<>();

    @GuardedBy("this") private final List<RowChange> endedFirings = new ArrayList<>(0);

    @GuardedBy("this") private List<LimitChange> limitChanges = List.of();

    @GuardedBy("this") private List<SequenceChange> sequenceChanges = List.of();

    @GuardedBy("this") private List<BatchChange> batchChanges = List.of();

    @GuardedBy("this") private List<GraphChange> graphChanges = List.of();

    @GuardedBy("this") private List<StatusChange> statusChanges = List.of();

    @GuardedBy("this") private List<LimitedJob> placedJobs = List.of();

    /** Held between the comparison of counted changes and the writes that depend on it. */
    private final Object comparedWrites = new Object();

    @GuardedBy("this") private int nextDescent;

    private volatile boolean isRetry;

    private volatile @Nullable CompletableFuture<Layout> layout;

    /** The last write of a transaction under a key; no row if it removed the row. */
    record Written(Optional<JobRow> row) {}

    private TransactionScope() {}

    static TransactionScope of(Transaction tx) {
        Object identity = identity(tx);
        TransactionScope existing = SCOPES.getIfPresent(identity);
        if (existing != null) {
            return existing;
        }
        TransactionScope scope = SCOPES.get(identity, unused -> new TransactionScope());
        Object snapshot = identity(tx.snapshot());
        if (snapshot != identity) {
            SCOPES.put(snapshot, scope); // snapshot reads, too, see the writes of the transaction
        }
        return scope;
    }

    /** Discards the scope of a transaction that has ended, before a garbage collection finds that it has. */
    static void discard(Transaction ended) {
        Object identity = identity(ended);
        SCOPES.invalidate(identity);
        Object snapshot = identity(ended.snapshot());
        if (snapshot != identity) {
            SCOPES.invalidate(snapshot);
        }
    }

    private static Optional<TransactionScope> find(ReadTransaction tx) {
        return Optional.ofNullable(SCOPES.getIfPresent(identity(tx)));
    }

    /**
     * Returns the key of a transaction: its options object, which wrappers pass on. A wrapper that creates another
     * options object for each call is its own key.
     */
    private static Object identity(ReadTransaction tx) {
        Object options = tx.options();
        return options == tx.options() ? options : tx;
    }

    /** {@return whether a transaction has written rows with the versionstamp of its commit} */
    static boolean hasChanged(ReadTransaction tx) {
        return find(tx).filter(TransactionScope::hasUserVersions).isPresent();
    }

    private synchronized boolean hasUserVersions() {
        return userVersions > 0;
    }

    /** Permits this transaction to move rows into quarantine. */
    void allowQuarantine() {
        allowsQuarantine = true;
    }

    /** Whether a transaction may move rows into quarantine. */
    static boolean allowsQuarantine(ReadTransaction tx) {
        return find(tx).filter(scope -> scope.allowsQuarantine).isPresent();
    }

    /** {@return the recorder of release notices in this transaction, created if there is none} */
    synchronized ReleaseRecorder releases(Supplier<? extends ReleaseRecorder> maker) {
        if (releases == null) {
            releases = maker.get();
        }
        return releases;
    }

    /** Records that this transaction ends or removes a job that a schedule made. */
    synchronized void endFiring(RowChange end) {
        endedFirings.add(end);
    }

    /** {@return the ends of jobs that schedules made, as recorded since the last call} */
    static List<RowChange> takeEndedFirings(Transaction tx) {
        return find(tx).map(TransactionScope::takeEndedFirings).orElse(List.of());
    }

    private synchronized List<RowChange> takeEndedFirings() {
        List<RowChange> taken = List.copyOf(endedFirings);
        endedFirings.clear();
        return taken;
    }

    /** Most transactions record no change of most kinds, and have no list for these. */
    private static <T> List<T> with(List<T> recorded, T change) {
        List<T> longer = recorded.isEmpty() ? new ArrayList<>() : recorded;
        longer.add(change);
        return longer;
    }

    /** Records a change whose slot the end of the verb has to settle. */
    synchronized void settleLater(LimitChange change) {
        limitChanges = with(limitChanges, change);
    }

    /** {@return the changes to settle, as recorded since the last call} */
    static List<LimitChange> takeLimitChanges(Transaction tx) {
        return find(tx).map(TransactionScope::takeLimitChanges).orElse(List.of());
    }

    private synchronized List<LimitChange> takeLimitChanges() {
        List<LimitChange> taken = limitChanges;
        limitChanges = List.of();
        return taken;
    }

    /** Records that a job joins or leaves a sequence. */
    synchronized void settleLater(SequenceChange change) {
        sequenceChanges = with(sequenceChanges, change);
    }

    /** {@return the changes of sequences, as recorded since the last call} */
    static List<SequenceChange> takeSequenceChanges(Transaction tx) {
        return find(tx).map(TransactionScope::takeSequenceChanges).orElse(List.of());
    }

    private synchronized List<SequenceChange> takeSequenceChanges() {
        List<SequenceChange> taken = sequenceChanges;
        sequenceChanges = List.of();
        return taken;
    }

    /** Records the change of a job in a batch. */
    synchronized void settleLater(BatchChange change) {
        batchChanges = with(batchChanges, change);
    }

    /** {@return the changes of jobs in batches, as recorded since the last call} */
    static List<BatchChange> takeBatchChanges(Transaction tx) {
        return find(tx).map(TransactionScope::takeBatchChanges).orElse(List.of());
    }

    private synchronized List<BatchChange> takeBatchChanges() {
        List<BatchChange> taken = batchChanges;
        batchChanges = List.of();
        return taken;
    }

    /** Records the change of a graph. */
    synchronized void settleLater(GraphChange change) {
        graphChanges = with(graphChanges, change);
    }

    /** {@return the changes of graphs, as recorded since the last call} */
    static List<GraphChange> takeGraphChanges(Transaction tx) {
        return find(tx).map(TransactionScope::takeGraphChanges).orElse(List.of());
    }

    private synchronized List<GraphChange> takeGraphChanges() {
        List<GraphChange> taken = graphChanges;
        graphChanges = List.of();
        return taken;
    }

    /** Records a change that a status index may show. */
    synchronized void settleLater(StatusChange change) {
        statusChanges = with(statusChanges, change);
    }

    /** {@return the changes that status indexes may show, as recorded since the last call} */
    static List<StatusChange> takeStatusChanges(Transaction tx) {
        return find(tx).map(TransactionScope::takeStatusChanges).orElse(List.of());
    }

    private synchronized List<StatusChange> takeStatusChanges() {
        List<StatusChange> taken = statusChanges;
        statusChanges = List.of();
        return taken;
    }

    /** Records that a job with a limit key enters the limited queue, or the queue from which processes claim. */
    synchronized void place(LimitedJob job) {
        placedJobs = with(placedJobs, job);
    }

    /** {@return the jobs that entered a queue by their limit keys, as recorded since the last call} */
    static List<LimitedJob> takePlacedJobs(Transaction tx) {
        return find(tx).map(TransactionScope::takePlacedJobs).orElse(List.of());
    }

    private synchronized List<LimitedJob> takePlacedJobs() {
        List<LimitedJob> taken = placedJobs;
        placedJobs = List.of();
        return taken;
    }

    /** Records that the holder of a job of a generation uses this transaction. */
    synchronized void usedByHolder(int descent) {
        nextDescent = Math.max(nextDescent, descent + 1);
    }

    /** {@return the generation of jobs that a transaction adds} */
    static int descentIn(Transaction tx) {
        return find(tx).map(TransactionScope::nextDescent).orElse(0);
    }

    private synchronized int nextDescent() {
        return nextDescent;
    }

    /** Remembers the layout that this transaction reads. */
    void rememberLayout(CompletableFuture<Layout> read) {
        layout = read;
    }

    /** {@return the layout that a transaction reads, if it is remembered} */
    static Optional<CompletableFuture<Layout>> layout(ReadTransaction tx) {
        return find(tx).map(scope -> scope.layout);
    }

    /** Records that an earlier try of this transaction has failed. */
    void markRetry() {
        isRetry = true;
    }

    /** {@return whether an earlier try of a transaction has failed} */
    static boolean isRetry(ReadTransaction tx) {
        return find(tx).filter(scope -> scope.isRetry).isPresent();
    }

    /** Records that this transaction enqueues or starts jobs of a type. */
    synchronized void use(TypeKeys type) {
        used.add(type);
    }

    /** {@return the types whose jobs this transaction enqueued or started since the last call} */
    static List<TypeKeys> takeUsed(Transaction tx) {
        return find(tx).map(TransactionScope::takeUsed).orElse(List.of());
    }

    private synchronized List<TypeKeys> takeUsed() {
        List<TypeKeys> taken = List.copyOf(used);
        used.clear();
        return taken;
    }

    /** {@return all rows that this transaction wrote within a range, by key; removed rows are empty} */
    static SortedMap<byte[], Optional<JobRow>> writtenWithin(ReadTransaction tx, Range range) {
        return find(tx).map(scope -> scope.writtenWithin(range)).orElseGet(Collections::emptySortedMap);
    }

    private synchronized SortedMap<byte[], Optional<JobRow>> writtenWithin(Range range) {
        SortedMap<byte[], Optional<JobRow>> rows = new TreeMap<>(Arrays::compareUnsigned);
        entries.forEach((key, entry) -> entry.written
                .filter(written -> key.isWithin(range))
                .ifPresent(written -> rows.put(key.bytes(), written.row())));
        return rows;
    }

    /** {@return the last write of this transaction under a key, if there is one} */
    static Optional<Written> written(ReadTransaction tx, RowKey rowKey) {
        return find(tx).flatMap(scope -> scope.written(rowKey));
    }

    private synchronized Optional<Written> written(RowKey rowKey) {
        Entry entry = entries.get(rowKey);
        return entry == null ? Optional.empty() : entry.written;
    }

    synchronized void remember(RowKey rowKey, @Nullable JobRow row) {
        entry(rowKey).written = Optional.of(new Written(Optional.ofNullable(row)));
    }

    /**
     * Returns the user version for a write of jobs. A job that is written alone keeps its user version in all its
     * writes. Jobs that are written together share a new one.
     */
    synchronized int userVersion(List<RowKey> rowKeys) {
        Entry first = entry(rowKeys.get(0));
        if (rowKeys.size() > 1 || first.userVersion < 0 || first.shared) {
            int newVersion = nextUserVersion();
            rowKeys.forEach(key -> entry(key).number(newVersion, rowKeys.size() > 1));
        }
        return first.userVersion;
    }

    @GuardedBy("this") private int nextUserVersion() {
        if (userVersions > USER_VERSION_MAX) {
            throw new TooManyJobsException(USER_VERSION_MAX + 1);
        }
        return userVersions++;
    }

    /** {@return the number of the shard for this transaction, the same in each call, so that it writes one shard} */
    synchronized int shard(String jobId) {
        if (shard == null) {
            shard = jobId.hashCode();
        }
        return shard;
    }

    /** {@return how often this transaction has changed a row that jobs share} */
    synchronized int changesOf(RowKey sharedRow) {
        return entry(sharedRow).changes;
    }

    /** Counts a change of a row that jobs share. */
    synchronized void countChange(RowKey sharedRow) {
        entry(sharedRow).changes++;
    }

    /**
     * Writes, if some rows that jobs share have not been changed since their changes were counted. No other write that
     * compares them comes in between.
     *
     * @return whether it has written
     */
    boolean ifUnchanged(Map<RowKey, Integer> changes, Runnable write) {
        synchronized (comparedWrites) {
            boolean isUnchanged = changes.isEmpty()
                    || changes.entrySet().stream().allMatch(each -> changesOf(each.getKey()) == each.getValue());
            if (isUnchanged) {
                write.run();
            }
            return isUnchanged;
        }
    }

    /**
     * Queues an edit of some jobs. Edits of a job run in the order of the calls, so each edit sees the writes of the
     * edits before it.
     *
     * @param executor starts edits that had to wait, so that a long queue does not become a deep stack
     */
    <T> OrderedEdit<T> queueEdit(Collection<RowKey> rowKeys, Executor executor) {
        return queueEdit(rowKeys, executor, (key, previous) -> {});
    }

    /**
     * Queues an edit of some jobs, as {@link #queueEdit(Collection, Executor)} does.
     *
     * @param before receives the previous edit of each job, which may have ended
     */
    <T> OrderedEdit<T> queueEdit(
            Collection<RowKey> rowKeys, Executor executor, BiConsumer<RowKey, CompletableFuture<?>> before) {
        CompletableFuture<T> result = new CompletableFuture<>();
        List<CompletableFuture<?>> awaited = new ArrayList<>();
        synchronized (this) {
            for (RowKey key : rowKeys) {
                Entry entry = entry(key);
                before.accept(key, entry.last);
                if (!entry.last.isDone()) {
                    awaited.add(entry.last.handle((value, error) -> Optional.empty()));
                }
                entry.last = result;
            }
        }
        CompletableFuture<?> ready = awaited.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : Futures.allOf(awaited).thenApplyAsync(done -> Optional.empty(), executor);
        return new OrderedEdit<>(ready, result);
    }

    /**
     * An edit in the edit order.
     *
     * @param ready completes when the earlier edits of its jobs have ended
     * @param result completes when this edit has ended
     */
    record OrderedEdit<T>(CompletableFuture<?> ready, CompletableFuture<T> result) {

        /** Completes {@link #result} with the result of the edit, and returns it. */
        CompletableFuture<T> end(CompletableFuture<T> edit) {
            var unused = edit.whenComplete((value, error) -> {
                if (error == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(error);
                }
            });
            return result;
        }
    }

    synchronized CompletableFuture<?> lastEdit(RowKey rowKey) {
        return entry(rowKey).last;
    }

    @GuardedBy("this") private Entry entry(RowKey rowKey) {
        return entries.computeIfAbsent(rowKey, key -> new Entry());
    }

    /** The state of one job, or of one row that jobs share, in the transaction. */
    private static final class Entry {
        int changes;
        int userVersion = -1;
        boolean shared;
        CompletableFuture<?> last = DONE;

        Optional<Written> written = Optional.empty();

        void number(int userVersion, boolean shared) {
            this.userVersion = userVersion;
            this.shared = shared;
        }
    }
}
