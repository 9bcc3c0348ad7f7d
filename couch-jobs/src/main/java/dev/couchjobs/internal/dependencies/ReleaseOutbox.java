package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.data.DependencyState;
import dev.couchjobs.internal.data.IncompleteVersionstamps;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Quarantine;
import dev.couchjobs.internal.data.ReleaseRecorder;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An outbox of release notices. The commit that ends a job writes its notice, so a notice cannot be lost. Notices that
 * the same transaction can deliver are removed before it commits.
 */
public final class ReleaseOutbox {
    /** How many dependents one transaction settles at most. */
    public static final int DEPENDENTS_MAX = PendingReleases.DEPENDENTS_MAX;

    private static final int NO_USER_VERSION = 0;

    private ReleaseOutbox() {}

    private static PendingReleases pending(Transaction tx) {
        return (PendingReleases) JobTransaction.of(tx).releases(PendingReleases::new);
    }

    /** Does what {@link ReleaseRecorder#record} says. */
    static @Nullable JobRow leave(Transaction tx, RowChange change, @Nullable JobRow kept) {
        JobRef ref = change.ref();
        JobRow before = change.before();
        JobRow told = change.after();
        if (before == null) {
            arrive(tx, ref, kept);
            return kept;
        }
        DependencyState dependencies = before.options().dependencies();
        if (!dependencies.hasDependents()) {
            return kept;
        }
        if (!isEnd(before, told)) {
            expectIfGone(tx, ref, kept, dependencies);
            return kept;
        }
        ReleaseNotice.Cause cause = told == null ? ReleaseNotice.Cause.REMOVED : ReleaseNotice.Cause.of(told.outcome());
        DependencyState left = leave(tx, ref, dependencies, false, cause);
        if (cause == ReleaseNotice.Cause.SUCCEEDED) {
            left = leave(tx, ref, left, true, cause);
        }
        expectIfGone(tx, ref, kept, left);
        return kept == null ? null : kept.withDependencies(left);
    }

    private static void expectIfGone(Transaction tx, JobRef ref, @Nullable JobRow kept, DependencyState left) {
        if (kept == null && left.patientGroup() != DependencyState.NO_GROUP) {
            expect(tx, ref, left.patientGroup());
        }
    }

    private static boolean isEnd(JobRow before, @Nullable JobRow told) {
        return told == null || (told.state() == JobState.FINISHED && before.state() != JobState.FINISHED);
    }

    /** The waiter group of those who waited for a job that was not there is now the job's own. */
    private static void arrive(Transaction tx, JobRef ref, @Nullable JobRow kept) {
        if (kept != null && kept.options().dependencies().patientGroup() != DependencyState.NO_GROUP) {
            tx.clear(ref.keys().expected(ref.id()));
        }
    }

    private static DependencyState leave(
            Transaction tx, JobRef ref, DependencyState dependencies, boolean patient, ReleaseNotice.Cause cause) {
        long group = dependencies.group(patient);
        if (group != DependencyState.NO_GROUP) {
            tx.set(
                    ref.keys().releasing(ref.id(), group),
                    Tuple.from(cause.text()).pack());
            pending(tx).add(new ReleaseNotice(ref, group, cause));
        }
        return dependencies.with(patient, DependencyState.NO_GROUP);
    }

    /**
     * {@return the waiter group of those who wait for a job that is not there, or {@link DependencyState#NO_GROUP}} It
     * is read beside the job's row, and so without a conflict: a caller that finds the job missing has to say that it
     * {@linkplain #addReadConflict relies} on it.
     */
    public static CompletableFuture<Long> expected(Transaction tx, JobRef ref) {
        return tx.snapshot()
                .get(ref.keys().expected(ref.id()))
                .thenApply(value -> Quarantine.readable(
                                tx,
                                ref.keys(),
                                ref.keys().expected(ref.id()),
                                value,
                                bytes -> Tuple.fromBytes(bytes).getLong(0))
                        .orElse(DependencyState.NO_GROUP));
    }

    /** From now on the transaction conflicts with any that notes or takes back a waiter group for that job. */
    public static void addReadConflict(Transaction tx, JobRef ref) {
        tx.addReadConflictKey(ref.keys().expected(ref.id()));
    }

    /**
     * Notes the waiter group of those who wait for a job that is not there; the transaction that adds the job finds it.
     */
    public static void expect(Transaction tx, JobRef ref, long group) {
        tx.set(ref.keys().expected(ref.id()), Tuple.from(group).pack());
    }

    /** Takes back the note of a waiter group if no job is left in it. */
    static CompletableFuture<?> expectNoMore(Transaction tx, JobRef ref, long group) {
        addReadConflict(tx, ref);
        return expected(tx, ref).thenCombine(Dependents.in(tx, tx, ref, group, 1), (known, left) -> {
            if (known == group && left.isEmpty()) {
                tx.clear(ref.keys().expected(ref.id()));
            }
            return ref;
        });
    }

    /** {@return all that has come up in this transaction and is to be carried out; it is the caller's from now on} */
    public static List<ReleaseNotice> takeAll(Transaction tx) {
        return pending(tx).takeAll();
    }

    /** {@return the releases of jobs that failed in this transaction because of others} */
    public static List<ReleaseNotice> takeOf(Transaction tx, Set<JobRef> failed) {
        return pending(tx).takeOf(failed);
    }

    /** {@return how many more dependents this transaction may settle} */
    public static int remainingCapacity(Transaction tx) {
        return pending(tx).remainingCapacity();
    }

    /**
     * Begins to record what the steps of jobs in a transaction mean to others. A transaction that has failed before
     * settles half as many dependents with each failed try, and in the end none: so they cannot keep it from being
     * committed.
     */
    public static void open(Transaction tx, int failedTries) {
        PendingReleases releases = pending(tx);
        if (failedTries > 0) {
            releases.consume(DEPENDENTS_MAX - (DEPENDENTS_MAX >> Math.min(failedTries, Integer.SIZE - 1)));
        }
    }

    /** Notes that this transaction settles so many dependents. */
    public static void consume(Transaction tx, int dependents) {
        pending(tx).consume(dependents);
    }

    /** {@return whether this transaction also settles the dependents of dependents that fail in it, level by level} */
    public static boolean isTransitive(Transaction tx) {
        return pending(tx).isTransitive();
    }

    /** Leaves a waiter group whose job was removed to a releaser. */
    public static void leaveRemoved(Transaction tx, JobRef ref, long group) {
        String cause = ReleaseNotice.Cause.REMOVED.text();
        tx.set(ref.keys().releasing(ref.id(), group), Tuple.from(cause).pack());
        wake(tx, ref.keys());
    }

    /** Takes away the row of what has been carried out to its end. */
    public static void done(Transaction tx, ReleaseNotice notice) {
        JobRef ref = notice.dependency();
        tx.clear(ref.keys().releasing(ref.id(), notice.group()));
    }

    /** Wakes those who carry on with what a transaction leaves. */
    public static void wake(Transaction tx, TypeKeys keys) {
        IncompleteVersionstamps.touch(tx, keys.watchesReleasing(), NO_USER_VERSION);
    }

    /**
     * Has this transaction carry out some of what others have left, whatever its types, and what follows from that, as
     * far as it has room.
     *
     * @param behind where to begin, and to go on from the first; from the first at once if it is empty
     * @param limit how much of it at most
     * @param dependents how many dependents it may settle
     * @return what there was, in the order in which it is carried out
     */
    public static CompletableFuture<List<ReleaseNotice>> takeUp(
            Transaction tx, Keyspace keyspace, Optional<ReleaseNotice> behind, int limit, int dependents) {
        consume(tx, DEPENDENTS_MAX - dependents);
        pending(tx).passOn();
        Range all = keyspace.releasing();
        byte[] middle = behind.map(last -> ByteArrayUtil.keyAfter(
                        last.dependency().keys().releasing(last.dependency().id(), last.group())))
                .orElse(all.end);
        CompletableFuture<List<ReleaseNotice>> last = behind.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : read(tx, keyspace, new Range(middle, all.end), limit);
        return last.thenCombine(read(tx, keyspace, new Range(all.begin, middle), limit), (rows, more) -> {
            List<ReleaseNotice> taken =
                    Stream.concat(rows.stream(), more.stream()).limit(limit).toList();
            taken.forEach(pending(tx)::add);
            return taken;
        });
    }

    private static CompletableFuture<List<ReleaseNotice>> read(
            Transaction tx, Keyspace keyspace, Range range, int limit) {
        return Quarantine.range(
                tx.snapshot(),
                range,
                limit,
                false,
                row -> Quarantine.typeName(row.getKey(), keyspace::typeOfReleasing)
                        .flatMap(type -> Quarantine.readable(tx, keyspace.type(type), row, decoder(keyspace, type))));
    }

    private static Function<KeyValue, ReleaseNotice> decoder(Keyspace keyspace, String typeName) {
        return row -> {
            Tuple who = keyspace.type(typeName).unpackReleasing(row.getKey());
            String cause = Tuple.fromBytes(row.getValue()).getString(0);
            return new ReleaseNotice(
                    keyspace.job(typeName, who.getString(0)), who.getLong(1), ReleaseNotice.Cause.ofText(cause));
        };
    }
}
