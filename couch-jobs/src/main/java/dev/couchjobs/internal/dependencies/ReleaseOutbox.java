package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.ReleaseRecorder;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.job.WaitCondition;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An outbox of release notices. The commit that ends a job writes its notice, so a notice cannot be lost. A transaction
 * removes the notices that it delivers itself before it commits.
 */
public final class ReleaseOutbox {
    /** The maximum number of dependents that one transaction notifies. */
    public static final int DEPENDENTS_MAX = PendingReleases.DEPENDENTS_MAX;

    private static final int NO_USER_VERSION = 0;
    /** From this number of jobs on, one read for each type precedes the reads for each job. */
    private static final int JOBS_OF_A_BATCH = 16;

    private ReleaseOutbox() {}

    private static PendingReleases pending(Transaction tx) {
        return JobStore.state(tx, PendingReleases.class, PendingReleases::new);
    }

    /** Implements {@link ReleaseRecorder#record}. */
    public static @Nullable JobRow recordTransition(Transaction tx, RowChange change, @Nullable JobRow kept) {
        JobRef ref = change.ref();
        JobRow before = change.before();
        JobRow after = change.after();
        if (before == null) {
            adoptExpectedGroup(tx, ref, kept);
            return kept;
        }
        DependencyState dependencies = before.options().dependencies();
        if (!dependencies.hasDependents()) {
            return kept;
        }
        if (!isEnd(before, after)) {
            expectIfGone(tx, ref, kept, dependencies);
            return kept;
        }
        ReleaseNotice.Cause cause =
                after == null ? ReleaseNotice.Cause.REMOVED : ReleaseNotice.Cause.of(after.outcome());
        DependencyState remaining = recordNotice(tx, ref, dependencies, WaitCondition.END, cause);
        if (cause == ReleaseNotice.Cause.SUCCEEDED) {
            remaining = recordNotice(tx, ref, remaining, WaitCondition.SUCCESS, cause);
        }
        expectIfGone(tx, ref, kept, remaining);
        return kept == null ? null : kept.withDependencies(remaining);
    }

    private static void expectIfGone(Transaction tx, JobRef ref, @Nullable JobRow kept, DependencyState remaining) {
        if (kept == null && remaining.successGroup() != DependencyState.NO_GROUP) {
            expect(tx, ref, new ExpectedJob(remaining.successGroup(), remaining.graph()));
            pending(tx).addExpected(ref, remaining.successGroup());
        }
    }

    /**
     * Removes the waiter groups of jobs that this transaction has removed, if the groups are empty. A group outlives
     * its dependents in the job's row.
     */
    static CompletableFuture<Void> clearExpectedIfEmpty(Transaction tx, Keyspace keyspace) {
        List<CompletableFuture<?>> checks = new ArrayList<>();
        pending(tx).takeExpected().forEach((ref, group) -> checks.add(clearExpectedIfEmpty(tx, keyspace, ref, group)));
        return CompletableFuture.allOf(checks.toArray(CompletableFuture<?>[]::new));
    }

    private static boolean isEnd(JobRow before, @Nullable JobRow after) {
        return after == null || (after.state() == JobState.FINISHED && before.state() != JobState.FINISHED);
    }

    /** Removes the note of a waiter group that the row of the new job now names. */
    private static void adoptExpectedGroup(Transaction tx, JobRef ref, @Nullable JobRow kept) {
        if (kept != null && kept.options().dependencies().successGroup() != DependencyState.NO_GROUP) {
            tx.clear(DependencyKeys.of(ref.keys()).expected(ref.id()));
            GraphRows.expectNoMore(tx, ref, GraphRows.graphOf(kept));
        }
    }

    private static DependencyState recordNotice(
            Transaction tx,
            JobRef ref,
            DependencyState dependencies,
            WaitCondition waitCondition,
            ReleaseNotice.Cause cause) {
        long group = dependencies.group(waitCondition);
        if (group != DependencyState.NO_GROUP) {
            tx.set(
                    DependencyKeys.of(ref.keys()).releasing(ref.id(), group),
                    Tuple.from(cause.text()).pack());
            pending(tx).add(new ReleaseNotice(ref, group, cause));
        }
        return dependencies.withGroup(waitCondition, DependencyState.NO_GROUP);
    }

    /**
     * {@return what the row of a job that does not exist has to name, or {@link ExpectedJob#NONE}} The read has no
     * conflict range, because callers read the job's row at the same time. A caller that finds no job calls {@link
     * #addReadConflict}.
     */
    public static CompletableFuture<ExpectedJob> expected(Transaction tx, JobRef ref) {
        return tx.snapshot()
                .get(DependencyKeys.of(ref.keys()).expected(ref.id()))
                .thenApply(value -> Quarantine.readable(
                                tx,
                                ref.keys(),
                                DependencyKeys.of(ref.keys()).expected(ref.id()),
                                value,
                                ExpectedJob::decode)
                        .orElse(ExpectedJob.NONE));
    }

    /**
     * {@return what the rows of jobs that do not exist have to name, as {@link #expected} reads it; jobs for which no
     * other waits are left out} Few types have such groups, so one read of a type often answers for many jobs.
     */
    public static CompletableFuture<Map<JobRef, ExpectedJob>> expectedOfAll(Transaction tx, Collection<JobRef> refs) {
        if (refs.size() < JOBS_OF_A_BATCH) {
            return expectedOfEach(tx, refs);
        }
        Map<TypeKeys, CompletableFuture<Boolean>> expectsAny = new LinkedHashMap<>();
        refs.forEach(ref -> expectsAny.computeIfAbsent(ref.keys(), keys -> expectsAny(tx, keys)));
        return Futures.allOf(expectsAny.values())
                .thenCompose(done -> expectedOfEach(
                        tx,
                        refs.stream()
                                .filter(ref -> Objects.requireNonNull(expectsAny.get(ref.keys()))
                                        .join())
                                .toList()));
    }

    private static CompletableFuture<Map<JobRef, ExpectedJob>> expectedOfEach(Transaction tx, Collection<JobRef> refs) {
        Map<JobRef, CompletableFuture<ExpectedJob>> reads = new LinkedHashMap<>();
        refs.forEach(ref -> reads.put(ref, expected(tx, ref)));
        return Futures.allOf(reads.values()).thenApply(done -> {
            Map<JobRef, ExpectedJob> groups = new HashMap<>();
            reads.forEach((ref, read) -> {
                if (read.join().group() != DependencyState.NO_GROUP) {
                    groups.put(ref, read.join());
                }
            });
            return groups;
        });
    }

    private static CompletableFuture<Boolean> expectsAny(Transaction tx, TypeKeys keys) {
        return tx.snapshot()
                .getRange(DependencyKeys.of(keys).expected(), 1)
                .asList()
                .thenApply(rows -> !rows.isEmpty());
    }

    /** Makes the transaction conflict with transactions that write the waiter group of a job that does not exist. */
    public static void addReadConflict(Transaction tx, JobRef ref) {
        tx.addReadConflictKey(DependencyKeys.of(ref.keys()).expected(ref.id()));
    }

    /**
     * Stores what the row of a job that does not exist has to name. The transaction that adds the job reads it.
     */
    public static void expect(Transaction tx, JobRef ref, ExpectedJob expected) {
        tx.set(DependencyKeys.of(ref.keys()).expected(ref.id()), expected.encode());
        GraphRows.expect(tx, ref, expected.graph());
    }

    /**
     * Removes the stored waiter group of a job that does not exist, if the group is empty. Otherwise the transaction
     * conflicts with those in which its first dependent leaves: each of two could find the other dependent in the
     * group.
     */
    static CompletableFuture<JobRef> clearExpectedIfEmpty(Transaction tx, Keyspace keyspace, JobRef ref, long group) {
        addReadConflict(tx, ref);
        byte[] key = DependencyKeys.of(ref.keys()).expected(ref.id());
        JobStore jobs = JobStore.of(tx);
        JobStore.KeyChanges since = jobs.changesOf(List.of(key));
        return expected(tx, ref)
                .thenCombine(Dependents.inGroup(tx, tx, ref, group, 1), (expected, first) -> {
                    first.forEach(each ->
                            Dependents.addReadConflict(tx, keyspace.job(each.typeName(), each.jobId()), ref, group));
                    return expected.group() != group
                            || !first.isEmpty()
                            || jobs.changeIfUnchanged(since, () -> {
                                tx.clear(key);
                                GraphRows.expectNoMore(tx, ref, expected.graph());
                                GraphNotes.leave(tx, ref, expected.graph());
                            });
                })
                .thenCompose(isDecided -> isDecided
                        ? CompletableFuture.completedFuture(ref)
                        : clearExpectedIfEmpty(tx, keyspace, ref, group)); // a job that is added has joined the group
    }

    /** {@return whether this transaction may have notices to deliver, or waiter groups to remove} */
    static boolean isAnyPending(Transaction tx) {
        return JobStore.stateOf(tx, PendingReleases.class).isPresent();
    }

    /** {@return all undelivered notices of this transaction, and removes them; the caller delivers them} */
    public static List<ReleaseNotice> takeAll(Transaction tx) {
        return pending(tx).takeAll();
    }

    /** {@return the notices of jobs that this transaction failed because of a dependency, and removes them} */
    public static List<ReleaseNotice> takeFor(Transaction tx, Set<JobRef> failed) {
        return pending(tx).takeFor(failed);
    }

    /** {@return how many more dependents this transaction may notify} */
    public static int remainingCapacity(Transaction tx) {
        return pending(tx).remainingCapacity();
    }

    /**
     * Prepares a try of a transaction. The number of dependents that a transaction notifies halves with each failed
     * try, down to none, so that dependents cannot prevent the commit.
     */
    public static void prepare(Transaction tx, int failedTries) {
        if (failedTries > 0) {
            pending(tx).consume(DEPENDENTS_MAX - (DEPENDENTS_MAX >> Math.min(failedTries, Integer.SIZE - 1)));
        }
    }

    /** Reduces the number of dependents that this transaction may notify. */
    public static void consume(Transaction tx, int dependents) {
        pending(tx).consume(dependents);
    }

    /** {@return whether this transaction also notifies the dependents of dependents that it fails, level by level} */
    public static boolean isTransitive(Transaction tx) {
        return pending(tx).isTransitive();
    }

    /** Defers the notice of a removed job for a waiter group to a releaser. */
    public static void deferRemoval(Transaction tx, JobRef ref, long group) {
        String cause = ReleaseNotice.Cause.REMOVED.text();
        tx.set(
                DependencyKeys.of(ref.keys()).releasing(ref.id(), group),
                Tuple.from(cause).pack());
        wake(tx, ref.keys());
    }

    /** Removes the row of a notice that has been delivered to all its dependents. */
    public static void remove(Transaction tx, ReleaseNotice notice) {
        JobRef ref = notice.dependency();
        tx.clear(DependencyKeys.of(ref.keys()).releasing(ref.id(), notice.group()));
    }

    /** Wakes the releasers, which deliver the notices that a transaction leaves. */
    public static void wake(Transaction tx, TypeKeys keys) {
        IncompleteVersionstamps.touch(tx, DependencyKeys.of(keys).watchesReleasing(), NO_USER_VERSION);
    }

    /**
     * Takes notices of all types that earlier transactions left, for delivery in this transaction, together with the
     * notices that result from them.
     *
     * @param behind the notice after which to begin; after the last notice the read continues with the first
     * @param limit the maximum number of notices
     * @param dependents how many dependents this transaction may notify
     * @return the notices, in the order of delivery
     */
    public static CompletableFuture<List<ReleaseNotice>> takeBacklog(
            Transaction tx, Keyspace keyspace, Optional<ReleaseNotice> behind, int limit, int dependents) {
        consume(tx, DEPENDENTS_MAX - dependents);
        pending(tx).enableTransitive();
        Range all = releasing(keyspace).range();
        byte[] middle = behind.map(last -> ByteArrayUtil.keyAfter(
                        DependencyKeys.of(last.dependency().keys())
                                .releasing(last.dependency().id(), last.group())))
                .orElse(all.end);
        CompletableFuture<List<ReleaseNotice>> upper = behind.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : read(tx, keyspace, new Range(middle, all.end), limit);
        return upper.thenCombine(read(tx, keyspace, new Range(all.begin, middle), limit), (upperRows, lowerRows) -> {
            List<ReleaseNotice> taken = Stream.concat(upperRows.stream(), lowerRows.stream())
                    .limit(limit)
                    .toList();
            taken.forEach(pending(tx)::add);
            return taken;
        });
    }

    private static Subspace releasing(Keyspace keyspace) {
        return keyspace.table("releasing");
    }

    private static CompletableFuture<List<ReleaseNotice>> read(
            Transaction tx, Keyspace keyspace, Range range, int limit) {
        return Quarantine.range(
                tx.snapshot(),
                range,
                limit,
                false,
                row -> Quarantine.typeName(
                                row.getKey(),
                                key -> Keyspace.typeName(releasing(keyspace).unpack(key), 0))
                        .flatMap(type -> Quarantine.readable(tx, keyspace.type(type), row, decoder(keyspace, type))));
    }

    private static Function<KeyValue, ReleaseNotice> decoder(Keyspace keyspace, String typeName) {
        return row -> {
            Tuple path = DependencyKeys.of(keyspace.type(typeName)).unpackReleasing(row.getKey());
            String cause = Tuple.fromBytes(row.getValue()).getString(0);
            return new ReleaseNotice(
                    keyspace.job(typeName, path.getString(0)), path.getLong(1), ReleaseNotice.Cause.ofText(cause));
        };
    }
}
