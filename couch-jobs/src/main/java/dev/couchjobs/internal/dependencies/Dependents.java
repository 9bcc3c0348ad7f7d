package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Quarantine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The rows that say which jobs wait for which: one for each pair on the side of the one that waits, and one on the side
 * of the one it waits for, which are written and removed together.
 */
public final class Dependents {
    private static final int LOOK = 16;
    private static final int FORESEEN_MAX = 100;

    private Dependents() {}

    /** {@return whether a job goes on waiting when its dependency does not succeed} */
    public static boolean isPatient(DependencyPolicy policy) {
        return policy == DependencyPolicy.WAIT || policy == DependencyPolicy.EXPECT;
    }

    /**
     * Lets a job wait for another. A transaction that does that writes the rows of both jobs or reads them in a way
     * that conflicts, and it is over those that the ends of either conflict with it.
     */
    public static void link(Transaction tx, JobRef dependent, JobRef dependency, long group, DependencyPolicy policy) {
        byte[] value = Tuple.from(policy.name().toLowerCase(Locale.ROOT)).pack();
        tx.options().setNextWriteNoWriteConflictRange();
        tx.set(outward(dependent, dependency, group), value);
        tx.set(inward(dependency, group).pack(Tuple.from(dependent.keys().typeName(), dependent.id())), value);
    }

    /**
     * What a job waits for, by type and id.
     *
     * @param after the last dependency that is known, if any
     */
    public static CompletableFuture<List<Dependency>> of(
            ReadTransaction tx, JobRef dependent, Optional<JobRef> after, int limit) {
        Subspace outward = dependent.keys().waitsFor(dependent.id());
        Range all = outward.range();
        byte[] begin = after.map(known -> Tuple.from(known.keys().typeName(), known.id()))
                .map(known -> outward.get(known).range().end)
                .orElse(all.begin);
        return Quarantine.range(tx, tx, dependent.keys(), new Range(begin, all.end), limit, false, row -> {
            Link link = link(outward, row);
            return new Dependency(link.typeName(), link.jobId(), link.policy());
        });
    }

    private static DependencyPolicy policy(KeyValue row) {
        return DependencyPolicy.valueOf(
                Tuple.fromBytes(row.getValue()).getString(0).toUpperCase(Locale.ROOT));
    }

    /** {@return whether a job waits for another, in whatever waiter group} */
    public static CompletableFuture<Boolean> isLinked(Transaction tx, JobRef dependent, JobRef dependency) {
        return tx.getRange(
                        dependent
                                .keys()
                                .waitsFor(dependent.id())
                                .get(Tuple.from(dependency.keys().typeName(), dependency.id()))
                                .range(),
                        1)
                .asList()
                .thenApply(rows -> !rows.isEmpty());
    }

    /** From now on the transaction conflicts with any that enters a job in that waiter group. */
    public static void closeGroup(Transaction tx, JobRef dependency, long group) {
        Range all = inward(dependency, group).range();
        tx.addReadConflictRange(all.begin, all.end);
    }

    /**
     * {@return some of those in a waiter group, unless in a snapshot in a way that conflicts with any that enters a
     * job}
     */
    public static CompletableFuture<List<Dependent>> in(
            Transaction tx, ReadTransaction view, JobRef dependency, long group, int limit) {
        Subspace inward = inward(dependency, group);
        return Quarantine.range(tx, view, dependency.keys(), inward.range(), limit, false, row -> decode(inward, row));
    }

    /**
     * A waiter group of dependents.
     *
     * @param policy the policy of one that is in there; in a waiter group all are patient, or none is
     */
    public record WaiterGroup(long group, DependencyPolicy policy) {}

    /** {@return the first waiter group of dependents of a job, or the one behind another} */
    public static CompletableFuture<Optional<WaiterGroup>> nextGroup(
            Transaction tx, JobRef dependency, Optional<Long> after) {
        Subspace groups = dependency.keys().dependents(dependency.id());
        Range all = groups.range();
        byte[] begin = after.map(group -> groups.get(group).range().end).orElse(all.begin);
        return Quarantine.range(
                        tx,
                        dependency.keys(),
                        new Range(begin, all.end),
                        1,
                        false,
                        row -> new WaiterGroup(groups.unpack(row.getKey()).getLong(0), policy(row)))
                .thenApply(found -> found.stream().findFirst());
    }

    private static Dependent decode(Subspace inward, KeyValue row) {
        Tuple who = inward.unpack(row.getKey());
        return new Dependent(Keyspace.typeName(who, 0), Keyspace.jobId(who, 1), policy(row));
    }

    /** The side of a link that the job that waits has. */
    private record Link(String typeName, String jobId, long group, DependencyPolicy policy) {}

    private static Link link(Subspace outward, KeyValue row) {
        Tuple link = outward.unpack(row.getKey());
        return new Link(Keyspace.typeName(link, 0), Keyspace.jobId(link, 1), link.getLong(2), policy(row));
    }

    /** Lets a job no longer wait for another. */
    public static void unlink(Transaction tx, JobRef dependent, JobRef dependency, long group) {
        tx.clear(outward(dependent, dependency, group));
        clearInward(tx, dependency, group, dependent);
    }

    /**
     * Whether a job still waits for another one than that which has just ended.
     *
     * <p>Of two that end at once each could take the other for outstanding, and the job would never be released. So one
     * that is outstanding is read in a way that conflicts with its end, and only one, so that of thousands that end
     * next to each other few conflict: one of the last rows, because jobs mostly end in the order in which they were
     * added.
     *
     * @param ended the one that has ended, which is unlinked
     */
    public static CompletableFuture<Boolean> isAnyOutstanding(Transaction tx, JobRef dependent, JobRef ended) {
        Subspace outward = dependent.keys().waitsFor(dependent.id());
        Function<KeyValue, byte[]> key = row -> {
            link(outward, row);
            return row.getKey();
        };
        return Quarantine.range(tx, dependent.keys(), outward.range(), LOOK, true, key)
                .thenApply(rows -> {
                    if (!rows.isEmpty()) {
                        tx.addReadConflictKey(rows.get(Math.floorMod(ended.id().hashCode(), rows.size())));
                    }
                    return !rows.isEmpty();
                });
    }

    /** {@return all that a job waits for, read without conflicts} */
    public static CompletableFuture<Awaited> awaitedBy(Transaction tx, Keyspace keyspace, JobRef dependent) {
        Range all = dependent.keys().waitsFor(dependent.id()).range();
        return tx.snapshot().getRange(all).asList().thenApply(rows -> new Awaited(keyspace, dependent, rows));
    }

    /**
     * Reads what a job waits for, unless that is much, so that a later read of it waits for no further answer.
     *
     * @return whether {@link Awaited#unlinkAll} then waits for no further answer either: there is not much, and no job
     *     among it whose waiter group has to be looked into
     */
    public static CompletableFuture<Boolean> prefetchAwaited(Transaction tx, JobRef dependent) {
        Range all = dependent.keys().waitsFor(dependent.id()).range();
        return tx.snapshot()
                .getRange(all, FORESEEN_MAX)
                .asList()
                .thenApply(rows -> rows.size() < FORESEEN_MAX
                        && Quarantine.readable(tx, dependent.keys(), rows, Dependents::policy).stream()
                                .noneMatch(Dependents::isPatient));
    }

    /**
     * All that a job waits for.
     *
     * @param keyspace where the jobs are
     * @param dependent the job
     * @param rows its side of the links
     */
    public record Awaited(Keyspace keyspace, JobRef dependent, List<KeyValue> rows) {
        /** Lets the job wait for no other any more. */
        public CompletableFuture<Void> unlinkAll(Transaction tx) {
            Subspace outward = dependent.keys().waitsFor(dependent.id());
            List<CompletableFuture<?>> emptied = new ArrayList<>();
            for (Link link : Quarantine.readable(tx, dependent.keys(), rows, row -> link(outward, row))) {
                JobRef dependency = keyspace.job(link.typeName(), link.jobId());
                clearInward(tx, dependency, link.group(), dependent);
                if (isPatient(link.policy())) {
                    emptied.add(ReleaseOutbox.expectNoMore(tx, dependency, link.group()));
                }
            }
            tx.clear(outward.range());
            return CompletableFuture.allOf(emptied.toArray(CompletableFuture<?>[]::new));
        }
    }

    /**
     * A transaction that still meets this row reads, in a way that conflicts, the row of the job that waited, which is
     * written too.
     */
    private static void clearInward(Transaction tx, JobRef dependency, long group, JobRef dependent) {
        tx.options().setNextWriteNoWriteConflictRange();
        tx.clear(inward(dependency, group).pack(Tuple.from(dependent.keys().typeName(), dependent.id())));
    }

    private static byte[] outward(JobRef dependent, JobRef dependency, long group) {
        return dependent
                .keys()
                .waitsFor(dependent.id())
                .pack(Tuple.from(dependency.keys().typeName(), dependency.id(), group));
    }

    private static Subspace inward(JobRef dependency, long group) {
        return dependency.keys().dependents(dependency.id(), group);
    }
}
