package dev.couchjobs.internal.rows;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.TooManyJobsException;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of couch-jobs for one transaction: the user versions that were assigned, the edit order of rows, and what
 * each feature knows of the transaction.
 *
 * <p>Two jobs that change in one transaction need different user versions, or their index rows would have the same key.
 * The versions belong to the transaction, not to an instance of the library, so all instances of a process share the
 * scopes. A scope of the library's own transactions is discarded when they end; others are garbage-collected with their
 * transactions.
 */
public final class TransactionScope {
    private static final int USER_VERSION_MAX = 0xFFFF;

    private static final CompletableFuture<?> DONE = CompletableFuture.completedFuture(Optional.empty());

    private static final Cache<Object, TransactionScope> SCOPES =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    @GuardedBy("this") private final Map<RowKey, Entry> entries = new HashMap<>();

    @GuardedBy("this") private int userVersions;

    @GuardedBy("this") private @Nullable Integer shard;

    private volatile boolean allowsQuarantine;

    /** What features know of this transaction; few know anything. */
    @GuardedBy("this") private final List<Object> states = new ArrayList<>(4);

    /** Held between the comparison of counted changes and the writes that depend on it. */
    private final Object comparedWrites = new Object();

    private volatile boolean isRetry;

    private volatile @Nullable CompletableFuture<Layout> layout;

    private volatile @Nullable RuntimeException refusal;

    /** Verbs that have begun in this transaction, some of which may have ended. */
    @GuardedBy("this") private final List<CompletableFuture<?>> verbs = new ArrayList<>(0);

    @GuardedBy("this") private int pruneAt = 16;

    private TransactionScope() {}

    public static TransactionScope of(Transaction tx) {
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
    public static void discard(Transaction ended) {
        Object identity = identity(ended);
        SCOPES.invalidate(identity);
        Object snapshot = identity(ended.snapshot());
        if (snapshot != identity) {
            SCOPES.invalidate(snapshot);
        }
    }

    public static Optional<TransactionScope> find(ReadTransaction tx) {
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
    public static boolean hasChanged(ReadTransaction tx) {
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

    /** {@return what a feature knows of this transaction, made by the first call} */
    public synchronized <T> T state(Class<T> kind, Supplier<T> maker) {
        T state = state(kind);
        if (state == null) {
            state = maker.get();
            states.add(state);
        }
        return state;
    }

    /** {@return what a feature knows of a transaction, if it knows anything} */
    public static <T> Optional<T> stateOf(ReadTransaction tx, Class<T> kind) {
        return find(tx).map(scope -> scope.state(kind));
    }

    public synchronized <T> @Nullable T state(Class<T> kind) {
        for (Object state : states) {
            if (kind.isInstance(state)) {
                return kind.cast(state);
            }
        }
        return null;
    }

    /** Remembers the layout that this transaction reads. */
    void rememberLayout(CompletableFuture<Layout> read) {
        layout = read;
    }

    /** {@return the layout that a transaction reads, if it is remembered} */
    static Optional<CompletableFuture<Layout>> layout(ReadTransaction tx) {
        return find(tx).map(scope -> scope.layout);
    }

    /**
     * Cancels a transaction whose verb was refused, so that nothing of it commits even if the caller ignores the error.
     * The commit then fails with an error that says only that the transaction was cancelled.
     */
    public static void cancel(Transaction tx, RuntimeException refusal) {
        TransactionScope scope = of(tx);
        if (scope.refusal == null) { // the first is the cause of the others
            scope.refusal = refusal;
        }
        tx.cancel();
    }

    /**
     * Records a verb in a transaction of the caller's, who may forget to wait for it. It has ended when what follows it
     * on the same thread has begun.
     *
     * @return what the caller gets
     */
    public static <T extends @Nullable Object> CompletableFuture<T> begun(Transaction tx, CompletableFuture<T> verb) {
        if (verb.isDone()) {
            return verb;
        }
        CompletableFuture<T> callers = new CompletableFuture<>();
        CompletableFuture<?> ended = new CompletableFuture<>();
        of(tx).record(ended);
        var unused = verb.whenComplete((value, error) -> {
            end(callers, value, error);
            ended.complete(null);
        });
        return callers;
    }

    private static <T extends @Nullable Object> void end(
            CompletableFuture<T> future, T value, @Nullable Throwable error) {
        if (error == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(error);
        }
    }

    private synchronized void record(CompletableFuture<?> verb) {
        if (verbs.size() >= pruneAt) {
            verbs.removeIf(CompletableFuture::isDone);
            pruneAt = Math.max(pruneAt, 2 * verbs.size());
        }
        verbs.add(verb);
    }

    /** {@return completes when all verbs in a transaction have ended; fails if one of them has cancelled it} */
    public static CompletableFuture<?> settled(Transaction tx) {
        return find(tx).<CompletableFuture<?>>map(TransactionScope::settled).orElse(DONE);
    }

    private CompletableFuture<?> settled() {
        CompletableFuture<?>[] open;
        synchronized (this) {
            verbs.removeIf(CompletableFuture::isDone);
            open = verbs.toArray(CompletableFuture[]::new);
        }
        if (open.length > 0) { // what follows them may begin others
            return CompletableFuture.allOf(open).handle((done, error) -> true).thenCompose(ended -> settled());
        }
        RuntimeException cause = refusal;
        return cause == null ? DONE : CompletableFuture.failedFuture(cause);
    }

    /** {@return why the library has cancelled a transaction, if it has} */
    public static Optional<RuntimeException> refusal(ReadTransaction tx) {
        return find(tx).map(scope -> scope.refusal);
    }

    /** Records that an earlier try of this transaction has failed. */
    public void markRetry() {
        isRetry = true;
    }

    /** {@return whether an earlier try of a transaction has failed} */
    public static boolean isRetry(ReadTransaction tx) {
        return find(tx).filter(scope -> scope.isRetry).isPresent();
    }

    /**
     * Returns the user version for a write of jobs. A job that is written alone keeps its user version in all its
     * writes. Jobs that are written together share a new one.
     */
    public synchronized int userVersion(List<RowKey> rowKeys) {
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
    public synchronized int shard(String jobId) {
        if (shard == null) {
            shard = jobId.hashCode();
        }
        return shard;
    }

    /** Keeps what the reader of a row has to know of its last write. */
    public synchronized void note(RowKey rowKey, Object note) {
        entry(rowKey).note = note;
    }

    /** {@return what was kept of the last write of a row, or null} */
    public synchronized @Nullable Object noteOf(RowKey rowKey) {
        Entry entry = entries.get(rowKey);
        return entry == null ? null : entry.note;
    }

    /** Passes on what was kept of the last writes of the rows in a range, in no order. */
    public synchronized void notesWithin(Range range, BiConsumer<RowKey, Object> reader) {
        entries.forEach((key, entry) -> {
            if (entry.note != null && key.isWithin(range)) {
                reader.accept(key, entry.note);
            }
        });
    }

    /** {@return how often this transaction has changed a row that jobs share} */
    public synchronized int changesOf(RowKey sharedRow) {
        return entry(sharedRow).changes;
    }

    /** Counts a change of a row that jobs share. */
    public synchronized void countChange(RowKey sharedRow) {
        entry(sharedRow).changes++;
    }

    /**
     * Writes, if some rows that jobs share have not been changed since their changes were counted. No other write that
     * compares them comes in between.
     *
     * @return whether it has written
     */
    public boolean ifUnchanged(Map<RowKey, Integer> changes, Runnable write) {
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
    public <T> OrderedEdit<T> queueEdit(Collection<RowKey> rowKeys, Executor executor) {
        return queueEdit(rowKeys, executor, (key, previous) -> {});
    }

    /**
     * Queues an edit of some jobs, as {@link #queueEdit(Collection, Executor)} does.
     *
     * @param before receives the previous edit of each job, which may have ended
     */
    public <T> OrderedEdit<T> queueEdit(
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
    public record OrderedEdit<T>(CompletableFuture<?> ready, CompletableFuture<T> result) {

        /** Completes {@link #result} with the result of the edit, and returns it. */
        public CompletableFuture<T> end(CompletableFuture<T> edit) {
            var unused = edit.whenComplete((value, error) -> TransactionScope.end(result, value, error));
            return result;
        }
    }

    /** Runs a step in the order of the calls, as edits of jobs are run, for rows other than those of jobs. */
    static <T> CompletableFuture<T> inOrder(Transaction tx, List<byte[]> keys, Supplier<CompletableFuture<T>> step) {
        List<RowKey> rowKeys = keys.stream().map(RowKey::new).distinct().toList();
        OrderedEdit<T> edit = of(tx).queueEdit(rowKeys, GuardedExecutor.of(tx));
        return edit.end(edit.ready().thenCompose(ready -> step.get()));
    }

    public synchronized CompletableFuture<?> lastEdit(RowKey rowKey) {
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

        @Nullable Object note;

        void number(int userVersion, boolean shared) {
            this.userVersion = userVersion;
            this.shared = shared;
        }
    }
}
