package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Dependent;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.loop.GuardedExecutor;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the dependents of a job in the transaction that ends the job. A dependent without a further dependency is
 * released, and a dependent that can no longer run fails.
 *
 * <p>The transaction that ends a job makes a constant number of round trips, whatever depends on the job. It notifies a
 * bounded number of direct dependents, and fails only those that need no further round trip. The other notices stay in
 * the outbox for a releaser: the rest of a wide fan-out, the dependents of a dependent that failed, and dependents with
 * many dependencies. A releaser's transaction also notifies the dependents of the jobs that it fails.
 *
 * <p>Each dependent has an edit of its own, outside the edits of the jobs that ended, so that jobs that depend on each
 * other cannot deadlock in the edit order.
 */
public final class DependencyPropagator implements Settler {
    /**
     * The transaction size up to which one more dependent is failed. Unlinking a dependent with as many dependencies as
     * one transaction can add takes at most half of FoundationDB's limit.
     */
    private static final long BYTES_MAX = 4_000_000;

    private final Keyspace keyspace;
    private final DependencyFailures failures;

    public DependencyPropagator(Keyspace keyspace, InstantSource clock) {
        this.keyspace = keyspace;
        this.failures = new DependencyFailures(keyspace, clock);
    }

    /**
     * The dependents in a waiter group that this transaction notifies.
     *
     * @param notice how the dependency ended
     * @param released the dependents that no longer wait for the dependency
     * @param failing the dependents that cannot run because of the dependency
     * @param all whether the group has no other dependents
     */
    private record GroupShare(ReleaseNotice notice, List<Dependent> released, List<Dependent> failing, boolean all) {
        static GroupShare of(ReleaseNotice notice, List<Dependent> dependents, boolean all) {
            Map<Boolean, List<Dependent>> byEffect = dependents.stream()
                    .collect(Collectors.partitioningBy(each -> notice.cause() == ReleaseNotice.Cause.SUCCEEDED
                            || each.policy() == DependencyPolicy.IGNORE));
            return new GroupShare(
                    notice, byEffect.getOrDefault(true, List.of()), byEffect.getOrDefault(false, List.of()), all);
        }
    }

    @Override
    public CompletableFuture<?> settle(Transaction tx, List<SavedChange> changes, FollowUp followUp) {
        return ReleaseOutbox.isAnyPending(tx) ? propagate(tx) : NOTHING;
    }

    /** Delivers the notices of this transaction, to as many dependents as it may notify. */
    private CompletableFuture<@Nullable Void> propagate(Transaction tx) {
        CompletableFuture<?> cleared = ReleaseOutbox.clearExpectedIfEmpty(tx, keyspace);
        return deliverAll(tx).thenCombine(cleared, (delivered, done) -> null);
    }

    private CompletableFuture<@Nullable Void> deliverAll(Transaction tx) {
        List<ReleaseNotice> notices = ReleaseOutbox.takeAll(tx);
        return notices.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : deliver(tx, notices)
                        .thenComposeAsync(shares -> propagateTransitive(tx, shares), GuardedExecutor.of(tx));
    }

    /**
     * Delivers the notices that result from delivered notices, or defers them. A verb delivers only the notices of jobs
     * that it ended itself.
     */
    private CompletableFuture<@Nullable Void> propagateTransitive(Transaction tx, List<GroupShare> shares) {
        if (ReleaseOutbox.isTransitive(tx)) {
            return propagate(tx);
        }
        Set<JobRef> failed = shares.stream()
                .flatMap(share -> share.failing().stream())
                .map(this::refOf)
                .collect(Collectors.toSet());
        ReleaseOutbox.takeFor(tx, failed).forEach(notice -> defer(tx, notice));
        return CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<List<GroupShare>> deliver(Transaction tx, List<ReleaseNotice> notices) {
        return isFull(tx)
                .thenCompose(full -> shares(tx, notices, full ? 0 : ReleaseOutbox.remainingCapacity(tx)))
                .thenCompose(shares -> notifyDependents(tx, shares));
    }

    /** Reads all waiter groups in parallel, and takes their dependents in order, up to the capacity. */
    private static CompletableFuture<List<GroupShare>> shares(
            Transaction tx, List<ReleaseNotice> notices, int capacity) {
        if (capacity <= 0) {
            return CompletableFuture.completedFuture(notices.stream()
                    .map(notice -> GroupShare.of(notice, List.of(), false))
                    .toList());
        }
        List<CompletableFuture<List<Dependent>>> reads = notices.stream()
                .map(notice -> Dependents.inGroup(tx, tx.snapshot(), notice.dependency(), notice.group(), capacity + 1))
                .toList();
        return Futures.allOf(reads).thenApply(done -> {
            List<GroupShare> shares = new ArrayList<>(notices.size());
            int remaining = capacity;
            for (int i = 0; i < notices.size(); i++) {
                List<Dependent> inGroup = reads.get(i).join();
                List<Dependent> taken = inGroup.subList(0, Math.min(remaining, inGroup.size()));
                remaining -= taken.size();
                shares.add(GroupShare.of(notices.get(i), taken, taken.size() == inGroup.size()));
            }
            ReleaseOutbox.consume(tx, capacity - remaining);
            return shares;
        });
    }

    /** Releases before it fails: a dependent in both lists is not released, because its other link still exists. */
    private CompletableFuture<List<GroupShare>> notifyDependents(Transaction tx, List<GroupShare> shares) {
        Map<JobRef, JobRef> ended = new LinkedHashMap<>(); // by dependent
        for (GroupShare share : shares) {
            ReleaseNotice notice = share.notice();
            share.released().forEach(each -> ended.put(unlinked(tx, notice, each), notice.dependency()));
        }
        Map<Dependent, CompletableFuture<Boolean>> prefetched = new LinkedHashMap<>();
        shares.forEach(share -> share.failing()
                .forEach(each -> prefetched.computeIfAbsent(each, failing -> prefetch(tx, refOf(failing)))));
        List<CompletableFuture<?>> started = new ArrayList<>(prefetched.values());
        started.add(releaseUnblocked(tx, ended));
        boolean onlyPrefetched = !ReleaseOutbox.isTransitive(tx);
        return Futures.allOf(started)
                .thenCompose(done -> failAll(tx, shares, each -> !onlyPrefetched || isTrue(prefetched.get(each)), 0));
    }

    /**
     * Starts the reads for a dependent that fails, so that the reads of all failing dependents run in parallel.
     *
     * @return whether failing the dependent then needs no further round trip
     */
    private static CompletableFuture<Boolean> prefetch(Transaction tx, JobRef failing) {
        CompletableFuture<?> retention = TypeRetention.whileEnding(tx, failing.keys());
        return JobTable.prefetch(tx, failing)
                .thenCombine(Dependents.prefetchAwaited(tx, failing), (row, isComplete) -> isComplete)
                .thenCombine(retention, (isComplete, read) -> isComplete);
    }

    private static boolean isTrue(@Nullable CompletableFuture<Boolean> answer) {
        return answer != null && answer.join();
    }

    private CompletableFuture<List<GroupShare>> failAll(
            Transaction tx, List<GroupShare> shares, Predicate<Dependent> wanted, int done) {
        if (done == shares.size()) {
            return CompletableFuture.completedFuture(shares);
        }
        GroupShare share = shares.get(done);
        return fail(tx, share.notice(), share.failing().stream().filter(wanted).toList(), 0)
                .thenComposeAsync(
                        failed -> {
                            end(tx, share, failed);
                            return failAll(tx, shares, wanted, done + 1);
                        },
                        GuardedExecutor.of(tx));
    }

    private static void end(Transaction tx, GroupShare share, int failed) {
        ReleaseNotice notice = share.notice();
        if (share.all() && failed == share.failing().size()) {
            Dependents.closeGroup(tx, notice.dependency(), notice.group());
            ReleaseOutbox.remove(tx, notice);
        } else {
            defer(tx, notice);
        }
    }

    /** Leaves the rest of a notice to a releaser. */
    private static void defer(Transaction tx, ReleaseNotice notice) {
        ReleaseOutbox.wake(tx, notice.dependency().keys());
    }

    private static CompletableFuture<Boolean> isFull(Transaction tx) {
        return tx.getApproximateSize().thenApply(bytes -> bytes > BYTES_MAX);
    }

    /** Fails dependents one after the other: each is unlinked from all its dependencies, which may be thousands. */
    private CompletableFuture<Integer> fail(
            Transaction tx, ReleaseNotice notice, List<Dependent> dependents, int done) {
        if (done == dependents.size()) {
            return CompletableFuture.completedFuture(done);
        }
        return isFull(tx)
                .thenComposeAsync(
                        full -> full
                                ? CompletableFuture.completedFuture(done)
                                : fail(tx, unlinked(tx, notice, dependents.get(done)), notice)
                                        .thenCompose(failed -> fail(tx, notice, dependents, done + 1)),
                        GuardedExecutor.of(tx));
    }

    private JobRef refOf(Dependent dependent) {
        return keyspace.job(dependent.typeName(), dependent.jobId());
    }

    private JobRef unlinked(Transaction tx, ReleaseNotice notice, Dependent dependent) {
        JobRef ref = refOf(dependent);
        Dependents.unlink(tx, ref, notice.dependency(), notice.group());
        return ref;
    }

    /**
     * Finds unblocked dependents before it edits them, so that the dependents that stay blocked cause no conflicts.
     *
     * @param ended the dependents, each with a dependency that has ended
     */
    private static CompletableFuture<?> releaseUnblocked(Transaction tx, Map<JobRef, JobRef> ended) {
        List<CompletableFuture<?>> prefetches =
                ended.keySet().stream().map(ref -> JobTable.prefetch(tx, ref)).collect(Collectors.toList());
        ended.keySet().stream()
                .map(JobRef::keys)
                .distinct()
                .forEach(type -> prefetches.add(TypeInUse.prefetch(tx, type)));
        CompletableFuture<List<JobRef>> unblocked = findUnblocked(tx, ended, List.copyOf(ended.keySet()));
        prefetches.add(unblocked);
        return Futures.allOf(prefetches)
                .thenCompose(done ->
                        JobStore.of(tx).editAll(unblocked.join(), rows -> release(tx, ended, unblocked.join(), rows)));
    }

    private static CompletableFuture<?> release(
            Transaction tx, Map<JobRef, JobRef> ended, List<JobRef> refs, List<Optional<JobRow>> rows) {
        return findUnblocked(tx, ended, refs).thenAccept(unblocked -> {
            List<RowChange> changes = new ArrayList<>(unblocked.size());
            for (int i = 0; i < refs.size(); i++) {
                JobRef ref = refs.get(i);
                rows.get(i)
                        .filter(row -> Standing.of(row).waitsForDependencies() && unblocked.contains(ref))
                        .ifPresent(row -> changes.add(new RowChange(ref, row, DependencyFailures.unblocked(row))));
            }
            JobStore.of(tx).saveAll(changes);
        });
    }

    private static CompletableFuture<List<JobRef>> findUnblocked(
            Transaction tx, Map<JobRef, JobRef> ended, List<JobRef> refs) {
        List<CompletableFuture<Boolean>> reads = refs.stream()
                .map(ref -> Dependents.isAnyOutstanding(tx, ref, Objects.requireNonNull(ended.get(ref))))
                .toList();
        return Futures.allOf(reads)
                .thenApply(done -> IntStream.range(0, refs.size())
                        .filter(i -> !reads.get(i).join())
                        .mapToObj(refs::get)
                        .toList());
    }

    private CompletableFuture<JobRef> fail(Transaction tx, JobRef ref, ReleaseNotice notice) {
        JobStore jobs = JobStore.of(tx);
        return jobs.edit(ref, row -> {
            if (row.filter(job -> Standing.of(job).waitsForDependencies()).isEmpty()) {
                return CompletableFuture.completedFuture(ref);
            }
            return failures.fail(tx, ref, row.get(), notice).thenApply(failed -> {
                jobs.save(ref, row.get(), failed);
                return ref;
            });
        });
    }
}
