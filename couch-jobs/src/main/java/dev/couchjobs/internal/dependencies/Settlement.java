package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.internal.data.Dependent;
import dev.couchjobs.internal.data.Dependents;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Release;
import dev.couchjobs.internal.data.Releases;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells those who wait for jobs of their ends, in the very transaction in which these end: who waits for nobody else any
 * more is released, and who cannot be any more fails.
 *
 * <p>One transaction tells a bounded number of dependents. What is left, be it the rest of a wide fan-out or those who
 * wait for jobs that failed just now, is in rows that a {@link Releaser} takes up. A dependent is changed in its own turn,
 * outside of those of the jobs that ended, so that jobs that wait for each other cannot hold each other up.
 */
public final class Settlement {
    /**
     * What a transaction may have come to before it tells one more. It takes half of FoundationDB's limit at most to take
     * out one who waits for as many as could be added in one transaction.
     */
    private static final long BYTES_MAX = 4_000_000;

    private final Keyspace keyspace;
    private final Failures failures;

    public Settlement(Keyspace keyspace, InstantSource clock) {
        this.keyspace = keyspace;
        this.failures = new Failures(keyspace, clock);
    }

    /** Tells what there is to tell, as far as this transaction has room for it. */
    public CompletableFuture<@Nullable Void> settle(Transaction tx) {
        Optional<Release> next = Releases.next(tx);
        return next.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : carryOut(tx, next.get()).thenComposeAsync(done -> settle(tx), tx.getExecutor());
    }

    private CompletableFuture<Release> carryOut(Transaction tx, Release release) {
        return isFull(tx).thenCompose(full -> {
            int room = full ? 0 : Releases.room(tx);
            return room > 0 ? carryOut(tx, release, room) : leave(tx, release);
        });
    }

    private CompletableFuture<Release> carryOut(Transaction tx, Release release, int room) {
        return Dependents.in(tx, release.dependency(), release.room(), room + 1).thenCompose(all -> {
            List<Dependent> some = all.subList(0, Math.min(room, all.size()));
            Releases.spend(tx, some.size());
            return tell(tx, release, some).thenCompose(told -> {
                if (told < all.size()) {
                    return leave(tx, release);
                }
                Releases.done(tx, release);
                return CompletableFuture.completedFuture(release);
            });
        });
    }

    /** What is left of it is for a releaser. */
    private static CompletableFuture<Release> leave(Transaction tx, Release release) {
        Releases.wake(tx, release.dependency().keys());
        return CompletableFuture.completedFuture(release);
    }

    private static CompletableFuture<Boolean> isFull(Transaction tx) {
        return tx.getApproximateSize().thenApply(bytes -> bytes > BYTES_MAX);
    }

    /** {@return how many of them there was room for} */
    private CompletableFuture<Integer> tell(Transaction tx, Release release, List<Dependent> dependents) {
        Map<Boolean, List<Dependent>> byFate = dependents.stream()
                .collect(Collectors.partitioningBy(each ->
                        release.cause() == Release.Cause.SUCCEEDED || each.policy() == DependencyPolicy.IGNORE));
        List<Dependent> released = byFate.getOrDefault(true, List.of());
        return CompletableFuture.allOf(released.stream()
                        .map(each -> releaseIfFree(tx, unlinked(tx, release, each), release.dependency()))
                        .toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> fail(tx, release, byFate.getOrDefault(false, List.of()), 0))
                .thenApply(failed -> released.size() + failed);
    }

    /** One after the other: each is taken out of all that it waited for, which may be thousands. */
    private CompletableFuture<Integer> fail(Transaction tx, Release release, List<Dependent> dependents, int done) {
        if (done == dependents.size()) {
            return CompletableFuture.completedFuture(done);
        }
        return isFull(tx)
                .thenComposeAsync(
                        full -> full
                                ? CompletableFuture.completedFuture(done)
                                : fail(tx, unlinked(tx, release, dependents.get(done)), release)
                                        .thenCompose(failed -> fail(tx, release, dependents, done + 1)),
                        tx.getExecutor());
    }

    private JobRef unlinked(Transaction tx, Release release, Dependent dependent) {
        JobRef ref = keyspace.job(dependent.typeName(), dependent.jobId());
        Dependents.unlink(tx, ref, release.dependency(), release.room());
        return ref;
    }

    /** Looks before it takes the dependent's turn, so that of those that end early none conflicts over its row. */
    private static CompletableFuture<?> releaseIfFree(Transaction tx, JobRef ref, JobRef ended) {
        return Dependents.isAnyOutstanding(tx, ref, ended)
                .thenCompose(outstanding -> outstanding
                        ? CompletableFuture.completedFuture(ref)
                        : JobTable.edit(tx, ref, row -> release(tx, ref, ended, row)));
    }

    private static CompletableFuture<JobRef> release(Transaction tx, JobRef ref, JobRef ended, Optional<JobRow> row) {
        return Dependents.isAnyOutstanding(tx, ref, ended).thenApply(outstanding -> {
            row.filter(waiting -> waiting.isBlocked() && !outstanding)
                    .ifPresent(
                            waiting -> JobTable.save(tx, ref, waiting, Failures.free(waiting), OptionalLong.empty()));
            return ref;
        });
    }

    private CompletableFuture<JobRef> fail(Transaction tx, JobRef ref, Release release) {
        return JobTable.edit(tx, ref, row -> {
            if (row.filter(JobRow::isBlocked).isEmpty()) {
                return CompletableFuture.completedFuture(ref);
            }
            return failures.of(tx, ref, row.get(), release).thenApply(failed -> {
                JobTable.save(tx, ref, row.get(), failed, OptionalLong.empty());
                return ref;
            });
        });
    }
}
