package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.TypeInUse;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
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
 * Updates the dependents of a job in the transaction that ends the job. A dependent that waits
 * for no other job any more is released, and one that cannot run any more fails.
 *
 * <p>The transaction in which a job ends waits for a constant number of answers, whatever depends on the job. It
 * settles a bounded number of direct dependents, and of those that fail only the ones that cost no further answer. What
 * is left is in rows that a releaser takes up: the rest of a wide fan-out, the dependents of a dependent that failed,
 * and dependents that wait for much else. A releaser's transaction goes on to the dependents of those that fail in it.
 *
 * <p>A dependent is changed in its own turn, outside of those of the jobs that ended, so that jobs that wait for each
 * other cannot hold each other up.
 */
public final class DependencyPropagator {
    /**
     * The size up to which a transaction settles one more dependent. It takes half of FoundationDB's limit at most to
     * take out one who waits for as many as could be added in one transaction.
     */
    private static final long BYTES_MAX = 4_000_000;

    private final Keyspace keyspace;
    private final DependencyFailures failures;

    public DependencyPropagator(Keyspace keyspace, InstantSource clock) {
        this.keyspace = keyspace;
        this.failures = new DependencyFailures(keyspace, clock);
    }

    /**
     * The jobs in a waiter group that this transaction settles.
     *
     * @param notice how the dependency ended
     * @param free those for which the dependency is done
     * @param failing those who cannot run because of it
     * @param all whether no other job is in the waiter group
     */
    private record GroupShare(ReleaseNotice notice, List<Dependent> free, List<Dependent> failing, boolean all) {
        static GroupShare of(ReleaseNotice notice, List<Dependent> some, boolean all) {
            Map<Boolean, List<Dependent>> byFate = some.stream()
                    .collect(Collectors.partitioningBy(each -> notice.cause() == ReleaseNotice.Cause.SUCCEEDED
                            || each.policy() == DependencyPolicy.IGNORE));
            return new GroupShare(
                    notice, byFate.getOrDefault(true, List.of()), byFate.getOrDefault(false, List.of()), all);
        }
    }

    /** Settles dependents, as far as this transaction has room for them. */
    public CompletableFuture<@Nullable Void> settle(Transaction tx) {
        List<ReleaseNotice> notices = ReleaseOutbox.takeAll(tx);
        return notices.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : deliver(tx, notices).thenComposeAsync(shares -> goOn(tx, shares), tx.getExecutor());
    }

    /**
     * Propagates the ends that result from delivered notices, or leaves them in the outbox. A verb delivers only the
     * notices of jobs that it ended itself.
     */
    private CompletableFuture<@Nullable Void> goOn(Transaction tx, List<GroupShare> shares) {
        if (ReleaseOutbox.isTransitive(tx)) {
            return settle(tx);
        }
        Set<JobRef> failed = shares.stream()
                .flatMap(share -> share.failing().stream())
                .map(this::refOf)
                .collect(Collectors.toSet());
        ReleaseOutbox.takeOf(tx, failed).forEach(notice -> leave(tx, notice));
        return CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<List<GroupShare>> deliver(Transaction tx, List<ReleaseNotice> notices) {
        return isFull(tx)
                .thenCompose(full -> shares(tx, notices, full ? 0 : ReleaseOutbox.remainingCapacity(tx)))
                .thenCompose(shares -> tell(tx, shares));
    }

    /** Looks into all rooms side by side, and goes through them in their order until there is no room for more. */
    private static CompletableFuture<List<GroupShare>> shares(
            Transaction tx, List<ReleaseNotice> notices, int capacity) {
        if (capacity <= 0) {
            return CompletableFuture.completedFuture(notices.stream()
                    .map(notice -> GroupShare.of(notice, List.of(), false))
                    .toList());
        }
        List<CompletableFuture<List<Dependent>>> looks = notices.stream()
                .map(notice -> Dependents.in(tx, tx.snapshot(), notice.dependency(), notice.group(), capacity + 1))
                .toList();
        return allOf(looks).thenApply(done -> {
            List<GroupShare> shares = new ArrayList<>(notices.size());
            int left = capacity;
            for (int i = 0; i < notices.size(); i++) {
                List<Dependent> found = looks.get(i).join();
                List<Dependent> some = found.subList(0, Math.min(left, found.size()));
                left -= some.size();
                shares.add(GroupShare.of(notices.get(i), some, some.size() == found.size()));
            }
            ReleaseOutbox.consume(tx, capacity - left);
            return shares;
        });
    }

    /** Jobs that may be released come first: one that also fails because of another still has the link to that one. */
    private CompletableFuture<List<GroupShare>> tell(Transaction tx, List<GroupShare> shares) {
        Map<JobRef, JobRef> ended = new LinkedHashMap<>(); // by dependents
        for (GroupShare share : shares) {
            ReleaseNotice notice = share.notice();
            share.free().forEach(each -> ended.put(unlinked(tx, notice, each), notice.dependency()));
        }
        Map<Dependent, CompletableFuture<Boolean>> quick = new LinkedHashMap<>();
        shares.forEach(share ->
                share.failing().forEach(each -> quick.computeIfAbsent(each, failing -> prefetch(tx, refOf(failing)))));
        List<CompletableFuture<?>> started = new ArrayList<>(quick.values());
        started.add(releaseUnblocked(tx, ended));
        boolean onlyQuick = !ReleaseOutbox.isTransitive(tx);
        return allOf(started)
                .thenCompose(done -> failAll(tx, shares, each -> !onlyQuick || isTrue(quick.get(each)), 0));
    }

    /**
     * What is read of dependents that fail, one after the other, is read for all of them at once.
     *
     * @return whether to fail it then waits for no further answer
     */
    private static CompletableFuture<Boolean> prefetch(Transaction tx, JobRef failing) {
        return JobTable.prefetch(tx, failing)
                .thenCombine(Dependents.prefetchAwaited(tx, failing), (row, isQuick) -> isQuick);
    }

    private static boolean isTrue(@Nullable CompletableFuture<Boolean> known) {
        return known != null && known.join();
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
                        tx.getExecutor());
    }

    private static void end(Transaction tx, GroupShare share, int failed) {
        ReleaseNotice notice = share.notice();
        if (share.all() && failed == share.failing().size()) {
            Dependents.closeGroup(tx, notice.dependency(), notice.group());
            ReleaseOutbox.done(tx, notice);
        } else {
            leave(tx, notice);
        }
    }

    /** What is left of it is for a releaser. */
    private static void leave(Transaction tx, ReleaseNotice notice) {
        ReleaseOutbox.wake(tx, notice.dependency().keys());
    }

    private static CompletableFuture<Boolean> isFull(Transaction tx) {
        return tx.getApproximateSize().thenApply(bytes -> bytes > BYTES_MAX);
    }

    /** One after the other: each is taken out of all that it waited for, which may be thousands. */
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
                        tx.getExecutor());
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
     * Looks before it takes the turns of dependents, so that of those that end early none conflicts over their rows.
     *
     * @param ended the dependents, each with a job of those that they waited for
     */
    private static CompletableFuture<?> releaseUnblocked(Transaction tx, Map<JobRef, JobRef> ended) {
        List<CompletableFuture<?>> foreseen =
                ended.keySet().stream().map(ref -> JobTable.prefetch(tx, ref)).collect(Collectors.toList());
        ended.keySet().stream()
                .map(JobRef::keys)
                .distinct()
                .forEach(type -> foreseen.add(TypeInUse.prefetch(tx, type)));
        CompletableFuture<List<JobRef>> free = findUnblocked(tx, ended, List.copyOf(ended.keySet()));
        foreseen.add(free);
        return allOf(foreseen)
                .thenCompose(done ->
                        JobTransaction.of(tx).editAll(free.join(), rows -> release(tx, ended, free.join(), rows)));
    }

    private static CompletableFuture<?> release(
            Transaction tx, Map<JobRef, JobRef> ended, List<JobRef> refs, List<Optional<JobRow>> rows) {
        return findUnblocked(tx, ended, refs).thenAccept(free -> {
            List<RowChange> changes = new ArrayList<>(free.size());
            for (int i = 0; i < refs.size(); i++) {
                JobRef ref = refs.get(i);
                rows.get(i)
                        .filter(row -> row.isBlocked() && free.contains(ref))
                        .ifPresent(row -> changes.add(new RowChange(ref, row, DependencyFailures.free(row))));
            }
            JobTransaction.of(tx).saveAll(changes);
        });
    }

    private static CompletableFuture<List<JobRef>> findUnblocked(
            Transaction tx, Map<JobRef, JobRef> ended, List<JobRef> refs) {
        List<CompletableFuture<Boolean>> looks = refs.stream()
                .map(ref -> Dependents.isAnyOutstanding(tx, ref, Objects.requireNonNull(ended.get(ref))))
                .toList();
        return allOf(looks)
                .thenApply(done -> IntStream.range(0, refs.size())
                        .filter(i -> !looks.get(i).join())
                        .mapToObj(refs::get)
                        .toList());
    }

    private CompletableFuture<JobRef> fail(Transaction tx, JobRef ref, ReleaseNotice notice) {
        JobTransaction jobs = JobTransaction.of(tx);
        return jobs.edit(ref, row -> {
            if (row.filter(JobRow::isBlocked).isEmpty()) {
                return CompletableFuture.completedFuture(ref);
            }
            return failures.of(tx, ref, row.get(), notice).thenApply(failed -> {
                jobs.save(ref, row.get(), failed);
                return ref;
            });
        });
    }

    private static CompletableFuture<Void> allOf(Collection<? extends CompletableFuture<?>> all) {
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }
}
