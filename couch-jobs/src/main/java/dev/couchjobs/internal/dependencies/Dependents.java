package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Dependent;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.WaitCondition;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The links between jobs and their dependencies. A link is two rows, which are written and removed together: one under
 * the dependent, and one under the dependency.
 */
public final class Dependents {
    private static final int OUTSTANDING_READ_MAX = 16;
    private static final int PREFETCHED_MAX = 100;

    private Dependents() {}

    /**
     * Links a job to a dependency. The transaction also writes the rows of both jobs, or reads them with conflicts, so
     * the row under the dependent needs no write conflict range.
     */
    public static void link(Transaction tx, JobRef dependent, JobRef dependency, long group, DependencyPolicy policy) {
        byte[] value = Tuple.from(policy.name().toLowerCase(Locale.ROOT)).pack();
        tx.options().setNextWriteNoWriteConflictRange();
        tx.set(dependencyKey(dependent, dependency, group), value);
        tx.set(dependentRows(dependency, group).pack(Tuple.from(dependent.keys().typeName(), dependent.id())), value);
    }

    /**
     * Reads the dependencies of a job, in the order of their types and ids.
     *
     * @param after type and id of the last dependency that was read, or its type only: then all of the type are left
     *     out
     */
    public static CompletableFuture<List<Dependency>> dependenciesOf(
            ReadTransaction tx, JobRef dependent, Optional<Tuple> after, int limit) {
        Subspace dependencyRows = DependencyKeys.of(dependent.keys()).waitsFor(dependent.id());
        Range all = dependencyRows.range();
        byte[] begin = after.map(last -> dependencyRows.get(last).range().end).orElse(all.begin);
        return Quarantine.range(tx, tx, dependent.keys(), new Range(begin, all.end), limit, false, row -> {
            Link link = link(dependencyRows, row);
            return new Dependency(link.typeName(), link.jobId(), link.policy());
        });
    }

    /** The place of a job among those that wait for another. */
    public record Waiting(long group, Dependent dependent) {
        /** {@return this as a part of a key} */
        public Tuple place() {
            return Tuple.from(group, dependent.typeName(), dependent.jobId());
        }
    }

    /**
     * Reads the jobs that wait for a job, in the order of their waiter groups, types and ids.
     *
     * @param after the place of the last one that was read, or of it without the id: then all others of its group and
     *     type are left out
     */
    public static CompletableFuture<List<Waiting>> dependentsOf(
            ReadTransaction tx, JobRef dependency, Optional<Tuple> after, int limit) {
        Subspace groups = DependencyKeys.of(dependency.keys()).dependents(dependency.id());
        Range all = groups.range();
        byte[] begin = after.map(last -> groups.get(last).range().end).orElse(all.begin);
        return Quarantine.range(tx, tx, dependency.keys(), new Range(begin, all.end), limit, false, row -> {
            Tuple waiting = groups.unpack(row.getKey());
            return new Waiting(
                    waiting.getLong(0),
                    new Dependent(Keyspace.typeName(waiting, 1), Keyspace.jobId(waiting, 2), policy(row)));
        });
    }

    private static DependencyPolicy policy(KeyValue row) {
        return DependencyPolicy.valueOf(
                Tuple.fromBytes(row.getValue()).getString(0).toUpperCase(Locale.ROOT));
    }

    /** {@return whether a job waits for a dependency, in any waiter group} */
    public static CompletableFuture<Boolean> isLinked(Transaction tx, JobRef dependent, JobRef dependency) {
        return tx.getRange(
                        DependencyKeys.of(dependent.keys())
                                .waitsFor(dependent.id())
                                .get(Tuple.from(dependency.keys().typeName(), dependency.id()))
                                .range(),
                        1)
                .asList()
                .thenApply(rows -> !rows.isEmpty());
    }

    /** Makes the transaction conflict with transactions that add a job to a waiter group. */
    public static void closeGroup(Transaction tx, JobRef dependency, long group) {
        Range all = dependentRows(dependency, group).range();
        tx.addReadConflictRange(all.begin, all.end);
    }

    /**
     * {@return the first dependents in a waiter group}
     *
     * @param view the transaction itself, to conflict with transactions that add a job to the group, or its snapshot
     */
    public static CompletableFuture<List<Dependent>> inGroup(
            Transaction tx, ReadTransaction view, JobRef dependency, long group, int limit) {
        Subspace dependentRows = dependentRows(dependency, group);
        return Quarantine.range(
                tx, view, dependency.keys(), dependentRows.range(), limit, false, row -> decode(dependentRows, row));
    }

    /**
     * A waiter group of dependents.
     *
     * @param policy the policy of one of the dependents; all dependents in a group have the same {@link WaitCondition}
     */
    public record WaiterGroup(long group, DependencyPolicy policy) {}

    /** {@return the first waiter group of the dependents of a job, or the next one after a group} */
    public static CompletableFuture<Optional<WaiterGroup>> nextGroup(
            Transaction tx, JobRef dependency, Optional<Long> after) {
        Subspace groups = DependencyKeys.of(dependency.keys()).dependents(dependency.id());
        Range all = groups.range();
        byte[] begin = after.map(group -> groups.get(group).range().end).orElse(all.begin);
        return Quarantine.range(
                        tx,
                        dependency.keys(),
                        new Range(begin, all.end),
                        1,
                        false,
                        row -> new WaiterGroup(groups.unpack(row.getKey()).getLong(0), policy(row)))
                .thenApply(rows -> rows.stream().findFirst());
    }

    private static Dependent decode(Subspace dependentRows, KeyValue row) {
        Tuple dependent = dependentRows.unpack(row.getKey());
        return new Dependent(Keyspace.typeName(dependent, 0), Keyspace.jobId(dependent, 1), policy(row));
    }

    /** The row of a link under the dependent. */
    private record Link(String typeName, String jobId, long group, DependencyPolicy policy) {}

    private static Link link(Subspace dependencyRows, KeyValue row) {
        Tuple link = dependencyRows.unpack(row.getKey());
        return new Link(Keyspace.typeName(link, 0), Keyspace.jobId(link, 1), link.getLong(2), policy(row));
    }

    /** Removes the link of a job to a dependency. */
    public static void unlink(Transaction tx, JobRef dependent, JobRef dependency, long group) {
        tx.clear(dependencyKey(dependent, dependency, group));
        clearDependentRow(tx, dependency, group, dependent);
    }

    /** Makes the transaction conflict with transactions that remove the link of a job to a dependency. */
    static void addReadConflict(Transaction tx, JobRef dependent, JobRef dependency, long group) {
        tx.addReadConflictKey(dependencyKey(dependent, dependency, group));
    }

    /**
     * Returns whether a job waits for a further dependency after one has ended.
     *
     * <p>If two dependencies end at the same time, each transaction could find the other dependency outstanding, and
     * the job would never be released. The method therefore reads one outstanding link with a conflict on the end of
     * its dependency. It reads only one, so that few of thousands of simultaneous ends conflict, and one of the last
     * rows, because jobs mostly end in the order in which they were added.
     *
     * @param ended the dependency that has ended, whose link is removed
     */
    public static CompletableFuture<Boolean> isAnyOutstanding(Transaction tx, JobRef dependent, JobRef ended) {
        Subspace dependencyRows = DependencyKeys.of(dependent.keys()).waitsFor(dependent.id());
        Function<KeyValue, byte[]> key = row -> {
            link(dependencyRows, row);
            return row.getKey();
        };
        return Quarantine.range(tx, dependent.keys(), dependencyRows.range(), OUTSTANDING_READ_MAX, true, key)
                .thenApply(rows -> {
                    if (!rows.isEmpty()) {
                        tx.addReadConflictKey(rows.get(Math.floorMod(ended.id().hashCode(), rows.size())));
                    }
                    return !rows.isEmpty();
                });
    }

    /** {@return all dependencies of a job, read without conflicts} */
    public static CompletableFuture<Awaited> awaitedBy(Transaction tx, Keyspace keyspace, JobRef dependent) {
        Range all = DependencyKeys.of(dependent.keys()).waitsFor(dependent.id()).range();
        return tx.snapshot().getRange(all).asList().thenApply(rows -> new Awaited(keyspace, dependent, rows));
    }

    /**
     * Reads the dependencies of a job, up to a limit, so that a later read needs no further round trip.
     *
     * @return whether {@link Awaited#unlinkAll} needs no further round trip either: the job has few dependencies, and
     *     none whose waiter group has to be read
     */
    public static CompletableFuture<Boolean> prefetchAwaited(Transaction tx, JobRef dependent) {
        Range all = DependencyKeys.of(dependent.keys()).waitsFor(dependent.id()).range();
        return tx.snapshot()
                .getRange(all, PREFETCHED_MAX)
                .asList()
                .thenApply(rows -> rows.size() < PREFETCHED_MAX
                        && Quarantine.readable(tx, dependent.keys(), rows, Dependents::policy).stream()
                                .noneMatch(policy -> WaitCondition.of(policy) == WaitCondition.SUCCESS));
    }

    /**
     * All dependencies of a job.
     *
     * @param keyspace the keys of the jobs
     * @param dependent the job
     * @param rows the rows of the links under the job
     */
    public record Awaited(Keyspace keyspace, JobRef dependent, List<KeyValue> rows) {
        /** Removes all links of the job to its dependencies. */
        public CompletableFuture<Void> unlinkAll(Transaction tx) {
            Subspace dependencyRows = DependencyKeys.of(dependent.keys()).waitsFor(dependent.id());
            List<CompletableFuture<?>> checks = new ArrayList<>();
            for (Link link : Quarantine.readable(tx, dependent.keys(), rows, row -> link(dependencyRows, row))) {
                JobRef dependency = keyspace.job(link.typeName(), link.jobId());
                clearDependentRow(tx, dependency, link.group(), dependent);
                if (WaitCondition.of(link.policy()) == WaitCondition.SUCCESS) {
                    checks.add(ReleaseOutbox.clearExpectedIfEmpty(tx, keyspace, dependency, link.group()));
                }
            }
            tx.clear(dependencyRows.range());
            return Futures.allOf(checks);
        }
    }

    /**
     * Needs no conflict range: a transaction that reads this row also reads the dependent's row with a conflict, and
     * this transaction writes that row.
     */
    private static void clearDependentRow(Transaction tx, JobRef dependency, long group, JobRef dependent) {
        tx.options().setNextWriteNoWriteConflictRange();
        tx.clear(dependentRows(dependency, group)
                .pack(Tuple.from(dependent.keys().typeName(), dependent.id())));
    }

    private static byte[] dependencyKey(JobRef dependent, JobRef dependency, long group) {
        return DependencyKeys.of(dependent.keys())
                .waitsFor(dependent.id())
                .pack(Tuple.from(dependency.keys().typeName(), dependency.id(), group));
    }

    private static Subspace dependentRows(JobRef dependency, long group) {
        return DependencyKeys.of(dependency.keys()).dependents(dependency.id(), group);
    }
}
