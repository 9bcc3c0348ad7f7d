package dev.couchjobs.internal.unique;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.UniqueKey;
import dev.couchjobs.internal.rows.IndexKey;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The {@code unique} rows: the last job of a type that was added with a unique key. A row applies only if the job's own
 * row agrees.
 */
public final class UniqueIndex {
    /** The last job that was added with each unique key. */
    public static final JobIndex ROWS = new JobIndex() {
        @Override
        public Range range(TypeKeys keys) {
            return rows(keys).range();
        }

        @Override
        public Statement decode(TypeKeys keys, KeyValue row) {
            return says(keys, row);
        }
    };

    private UniqueIndex() {}

    private static Subspace rows(TypeKeys keys) {
        return keys.table("unique");
    }

    /** Writes the rows of jobs that are indexed again, unless another job has the key since. */
    public static CompletableFuture<?> settle(Transaction tx, List<SavedChange> changes, FollowUp followUp) {
        List<CompletableFuture<?>> restored = new ArrayList<>(0); // mostly there is none
        for (SavedChange change : changes) {
            JobRow after = change.after();
            if (change.isRestored() && after != null) {
                restored.add(restore(tx, change.ref(), after));
            }
        }
        return restored.isEmpty() ? Settler.NOTHING : Futures.allOf(restored);
    }

    /** Moves the rows of jobs, and counts that they have changed. */
    public static void write(Changes changes) {
        for (SavedChange change : changes.all()) {
            if (!change.isRestored()) {
                replace(changes.tx(), change.ref(), change.before(), change.after());
                countChanges(changes.tx(), change.ref(), change.before(), change.after());
            }
        }
    }

    /** Counts after all writes: a search that misses one finds the count changed. */
    private static void countChanges(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        UniqueKey was = before == null ? null : before.options().unique();
        UniqueKey is = after == null ? null : after.options().unique();
        if (was != null) {
            JobStore.countChange(tx, rowKey(ref.keys(), was));
        }
        if (is != null && (was == null || !is.isSameAs(was))) {
            JobStore.countChange(tx, rowKey(ref.keys(), is));
        }
    }

    /**
     * Writes a job that has ended as one that is pending, unless another that is pending or running has its unique key.
     *
     * @return whether it has written the job
     */
    public static CompletableFuture<Boolean> saveIfFree(JobStore jobs, JobRef ref, JobRow ended, JobRow pending) {
        UniqueKey unique = ended.options().unique();
        JobStore.KeyChanges before = jobs.changesOf(unique == null ? List.of() : List.of(rowKey(ref.keys(), unique)));
        return isFreeFor(jobs.tx(), ref, ended).thenCompose(isFree -> {
            boolean isDecided = !isFree || jobs.saveIfUnchanged(before, ref, ended, pending);
            return isDecided ? CompletableFuture.completedFuture(isFree) : saveIfFree(jobs, ref, ended, pending);
        });
    }

    /** A job with a unique key, as its row is. */
    public record Owner(JobRef ref, JobRow row) {}

    /** {@return the key of the row of a unique key} */
    public static byte[] rowKey(TypeKeys keys, UniqueKey unique) {
        return rows(keys).pack(Tuple.from(unique.isDigest(), unique.text()));
    }

    /** {@return whether there is a row for the key of a job, which may be that of another job since} */
    public static CompletableFuture<Boolean> isThere(ReadTransaction tx, JobRef ref, JobRow job) {
        UniqueKey unique = job.options().unique();
        return IndexKey.isThere(tx, Optional.ofNullable(unique).map(key -> rowKey(ref.keys(), key)));
    }

    private static byte[] value(JobRef ref, UniqueKey unique) {
        return Tuple.from(ref.id(), unique.since()).pack();
    }

    /** {@return the job that has a unique key; the transaction conflicts with changes of both} */
    public static CompletableFuture<Optional<Owner>> owner(ReadTransaction tx, TypeKeys keys, UniqueKey unique) {
        byte[] rowKey = rowKey(keys, unique);
        return tx.get(rowKey)
                .thenApply(value -> Quarantine.readable(tx, keys, rowKey, value, bytes -> decode(keys, bytes)))
                .thenCompose(ref -> ref.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : JobTable.find(tx, ref.get())
                                .thenApply(row ->
                                        row.filter(job -> hasKey(job, unique)).map(job -> new Owner(ref.get(), job))));
    }

    private static JobRef decode(TypeKeys keys, byte[] value) {
        return new JobRef(keys, Keyspace.jobId(Tuple.fromBytes(value), 0));
    }

    private static JobIndex.Statement says(TypeKeys keys, KeyValue row) {
        Tuple path = rows(keys).unpack(row.getKey());
        boolean isDigest = path.getBoolean(0);
        String text = path.getString(1);
        return new JobIndex.Statement(decode(keys, row.getValue()), job -> {
            UniqueKey own = job.options().unique();
            return own != null && own.isDigest() == isDigest && own.text().equals(text);
        });
    }

    private static CompletableFuture<?> restore(Transaction tx, JobRef ref, JobRow now) {
        UniqueKey unique = now.options().unique();
        if (unique == null) {
            return CompletableFuture.completedFuture(now);
        }
        byte[] rowKey = rowKey(ref.keys(), unique);
        return tx.get(rowKey).thenAccept(value -> {
            if (value == null) {
                tx.set(rowKey, value(ref, unique));
            }
        });
    }

    /** {@return whether no other job that is pending or running has the unique key of a job that has ended} */
    public static CompletableFuture<Boolean> isFreeFor(ReadTransaction tx, JobRef ref, JobRow ended) {
        UniqueKey unique = ended.options().unique();
        return unique == null
                ? CompletableFuture.completedFuture(true)
                : owner(tx, ref.keys(), unique)
                        .thenApply(owner -> owner.filter(job -> job.row().state() != JobState.FINISHED)
                                .isEmpty());
    }

    private static boolean hasKey(JobRow job, UniqueKey unique) {
        UniqueKey own = job.options().unique();
        return own != null && own.isSameAs(unique);
    }

    /** Moves the row of a job. A job that is removed does not remove the row of another with its key. */
    private static void replace(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        UniqueKey was = before == null ? null : before.options().unique();
        UniqueKey is = after == null ? null : after.options().unique();
        if (Objects.equals(was, is) && !isToRunAgain(before, after)) {
            return;
        }
        if (was != null && (is == null || !is.isSameAs(was))) {
            tx.mutate(MutationType.COMPARE_AND_CLEAR, rowKey(ref.keys(), was), value(ref, was));
        }
        if (is != null) {
            tx.set(rowKey(ref.keys(), is), value(ref, is));
        }
    }

    /** Another job may have taken the key of a job that has ended. */
    private static boolean isToRunAgain(@Nullable JobRow before, @Nullable JobRow after) {
        return before != null
                && before.state() == JobState.FINISHED
                && after != null
                && after.state() != JobState.FINISHED;
    }
}
