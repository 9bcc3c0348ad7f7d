package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.TooManyJobsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What couch-jobs knows of one transaction and FoundationDB does not: the rows it wrote there, and the user
 * versions it gave out.
 *
 * <p>A row that holds the stamp of the commit to come cannot be read back before it (error 1036), and two jobs changed
 * in one transaction need different user versions, or their index rows would fall on one key. Both belong to the
 * transaction and not to an instance of the library, so the scopes are shared by the whole process; each goes when its
 * transaction is no longer referred to.
 */
final class TransactionScope {
    private static final int USER_VERSION_MAX = 0xFFFF;

    private static final Cache<Object, TransactionScope> SCOPES =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    @GuardedBy("this") private final NavigableMap<byte[], Entry> entries = new TreeMap<>(Arrays::compareUnsigned);

    @GuardedBy("this") private int userVersions;

    @GuardedBy("this") private @Nullable Integer shard;

    private volatile boolean allowsQuarantine;

    @GuardedBy("this") private @Nullable ReleaseRecorder releases;

    @GuardedBy("this") private final Set<TypeKeys> used = new LinkedHashSet<>();

    /** What a transaction left under a key; no row if it removed it. */
    record Written(Optional<JobRow> row) {}

    private TransactionScope() {}

    static TransactionScope of(Transaction tx) {
        Object identity = identity(tx);
        TransactionScope known = SCOPES.getIfPresent(identity);
        if (known != null) {
            return known;
        }
        TransactionScope scope = SCOPES.get(identity, unused -> new TransactionScope());
        Object snapshot = identity(tx.snapshot());
        if (snapshot != identity) {
            SCOPES.put(snapshot, scope); // reads of the snapshot view see what the transaction wrote, too
        }
        return scope;
    }

    private static Optional<TransactionScope> known(ReadTransaction tx) {
        return Optional.ofNullable(SCOPES.getIfPresent(identity(tx)));
    }

    /**
     * What stands for a transaction, also behind wrappers: the object of its options, which wrappers hand out as it is.
     * A wrapper that makes another such object for each call stands for itself.
     */
    private static Object identity(ReadTransaction tx) {
        Object options = tx.options();
        return options == tx.options() ? options : tx;
    }

    /** From now on this transaction may move rows into quarantine. */
    void allowQuarantine() {
        allowsQuarantine = true;
    }

    /** Whether a transaction may move rows into quarantine. */
    static boolean allowsQuarantine(ReadTransaction tx) {
        return known(tx).filter(scope -> scope.allowsQuarantine).isPresent();
    }

    /** What records what the steps of jobs in this transaction mean to others; made if there is none. */
    synchronized ReleaseRecorder releases(Supplier<? extends ReleaseRecorder> maker) {
        if (releases == null) {
            releases = maker.get();
        }
        return releases;
    }

    /** Jobs of that type come to wait or to run. */
    synchronized void use(TypeKeys type) {
        used.add(type);
    }

    /** The types of which jobs have come to wait or to run since this was asked. */
    static List<TypeKeys> takeUsed(Transaction tx) {
        return known(tx).map(TransactionScope::takeUsed).orElse(List.of());
    }

    private synchronized List<TypeKeys> takeUsed() {
        List<TypeKeys> all = List.copyOf(used);
        used.clear();
        return all;
    }

    /** All rows that this transaction wrote within a range, by their keys; those that it removed are empty. */
    static SortedMap<byte[], Optional<JobRow>> writtenWithin(ReadTransaction tx, Range range) {
        return known(tx).map(scope -> scope.writtenWithin(range)).orElseGet(Collections::emptySortedMap);
    }

    private synchronized SortedMap<byte[], Optional<JobRow>> writtenWithin(Range range) {
        SortedMap<byte[], Optional<JobRow>> rows = new TreeMap<>(Arrays::compareUnsigned);
        entries.subMap(range.begin, range.end)
                .forEach((key, entry) -> entry.written.ifPresent(written -> rows.put(key, written.row())));
        return rows;
    }

    /** The row that this transaction left under a key, if it wrote there at all. */
    static Optional<Written> written(ReadTransaction tx, byte[] dataKey) {
        return known(tx).flatMap(scope -> scope.written(dataKey));
    }

    private synchronized Optional<Written> written(byte[] dataKey) {
        Entry entry = entries.get(dataKey);
        return entry == null ? Optional.empty() : entry.written;
    }

    synchronized void remember(byte[] dataKey, @Nullable JobRow row) {
        entry(dataKey).written = Optional.of(new Written(Optional.ofNullable(row)));
    }

    /**
     * Numbers the jobs of this transaction; a job keeps its number however often it is written by itself, and jobs
     * that are written together share one.
     */
    synchronized int userVersion(List<byte[]> dataKeys) {
        Entry first = entry(dataKeys.get(0));
        if (dataKeys.size() > 1 || first.userVersion < 0 || first.shared) {
            int fresh = nextUserVersion();
            dataKeys.forEach(key -> entry(key).number(fresh, dataKeys.size() > 1));
        }
        return first.userVersion;
    }

    @GuardedBy("this") private int nextUserVersion() {
        if (userVersions > USER_VERSION_MAX) {
            throw new TooManyJobsException(USER_VERSION_MAX + 1);
        }
        return userVersions++;
    }

    /** A number that stays the same for this transaction, so that it touches one shard of what is sharded. */
    synchronized int shard(String jobId) {
        if (shard == null) {
            shard = jobId.hashCode();
        }
        return shard;
    }

    /**
     * Gives a step on some jobs its turn, in the order of the calls, so that each sees what those before it wrote.
     *
     * @param executor runs what has to wait, so that a long queue does not become a deep stack
     */
    <T> Turn<T> turn(Collection<byte[]> dataKeys, Executor executor) {
        CompletableFuture<T> result = new CompletableFuture<>();
        List<CompletableFuture<?>> before = new ArrayList<>();
        synchronized (this) {
            for (byte[] key : dataKeys) {
                Entry entry = entry(key);
                if (!entry.last.isDone()) {
                    before.add(entry.last.handle((value, error) -> Optional.empty()));
                }
                entry.last = result;
            }
        }
        CompletableFuture<?> ready = before.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : CompletableFuture.allOf(before.toArray(CompletableFuture<?>[]::new))
                        .thenApplyAsync(done -> Optional.empty(), executor);
        return new Turn<>(ready, result);
    }

    /**
     * The turn of a step.
     *
     * @param ready completes when the steps before it have ended
     * @param result completes when this step has ended
     */
    record Turn<T>(CompletableFuture<?> ready, CompletableFuture<T> result) {

        /** {@return what the step came to, once the steps behind it may begin} */
        CompletableFuture<T> end(CompletableFuture<T> step) {
            var unused = step.whenComplete((value, error) -> {
                if (error == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(error);
                }
            });
            return result;
        }
    }

    synchronized CompletableFuture<?> lastTurn(byte[] dataKey) {
        return entry(dataKey).last;
    }

    @GuardedBy("this") private Entry entry(byte[] dataKey) {
        return entries.computeIfAbsent(dataKey, key -> new Entry());
    }

    /** What is known of one job. */
    private static final class Entry {
        int userVersion = -1;
        boolean shared;
        CompletableFuture<?> last = CompletableFuture.completedFuture(Optional.empty());

        Optional<Written> written = Optional.empty();

        void number(int userVersion, boolean shared) {
            this.userVersion = userVersion;
            this.shared = shared;
        }
    }
}
