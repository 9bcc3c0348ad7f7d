package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobArchive;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.observe.UserCode;
import dev.couchjobs.internal.retention.ArchiveLease;
import dev.couchjobs.internal.retention.RetentionIndex;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Hands the expired jobs of one type to their archive, a page at a time, and removes the jobs that it accepts. */
final class Archiver<D, R> implements AutoCloseable {
    private static final int JOBS_MAX = 100;
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final String name;
    private final JobType<D, R> type;
    private final Keyspace keyspace;
    private final TypeKeys keys;
    private final PayloadCodec codec;
    private final JobArchive<D, R> archive;
    private final SweepInterval sweepInterval;
    private final ClockCheck clock;
    private final BatchSize batch = new BatchSize(JOBS_MAX);
    private final Executor executor;
    private final Loop loop;

    Archiver(Instance instance, JobType<D, R> type, JobArchive<D, R> archive, ClockCheck clock) {
        this.clock = clock;
        this.database = instance.database();
        this.environment = instance.environment();
        this.executor = instance.executor();
        this.transactions = instance.transactions().named("archive", type.name());
        this.name = instance.name();
        this.type = type;
        this.keyspace = instance.keyspace();
        this.keys = instance.keyspace().type(type.name());
        this.codec = instance.codec();
        this.archive = archive;
        this.sweepInterval = new SweepInterval(environment, type.retention());
        this.loop = new Loop("archive of " + type, environment, this::round);
    }

    void start() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
    }

    /** The next step: a page, or a pause. */
    private record Next<D, R>(@Nullable ArchivePage<D, R> page, Pause pause) {}

    private CompletableFuture<Pause> round() {
        return batch.run(tries -> transactions.run(database, tx -> tries.next(jobs -> next(tx, jobs))))
                .thenCompose(next -> next.page() == null
                        ? CompletableFuture.completedFuture(next.pause())
                        : handOver(next.page()).thenApply(done -> next.pause()));
    }

    private CompletableFuture<Next<D, R>> next(Transaction tx, int jobs) {
        Instant now = environment.clock().instant();
        long nowMillis = now.toEpochMilli();
        CompletableFuture<Optional<Duration>> othersLease = ArchiveLease.heldByOther(tx, keys, name, nowMillis, LEASE);
        CompletableFuture<Boolean> mayRemove = clock.mayRemove(tx, now);
        return DueJobs.read(tx, keys, true, now.getEpochSecond(), 0, jobs)
                .thenCompose(due -> mayRemove.thenCompose(allowed -> due.isEmpty() || allowed
                        ? page(tx, due, othersLease, nowMillis)
                        : pause(sweepInterval.untilClocksAgree())));
    }

    private CompletableFuture<Next<D, R>> page(
            Transaction tx, DueJobs due, CompletableFuture<Optional<Duration>> othersLease, long now) {
        return due.isEmpty()
                ? RetentionIndex.nextDue(tx, keys, true)
                        .thenCombine(TypeRetention.ending(tx, keys, type), (next, ending) -> {
                            sweepInterval.retention(ending.retention());
                            return new Next<>(null, sweepInterval.until(next));
                        })
                : othersLease.thenCompose(remaining ->
                        remaining.map(time -> pause(sweepInterval.atMost(time))).orElseGet(() -> page(tx, due, now)));
    }

    private CompletableFuture<Next<D, R>> pause(Pause pause) {
        return CompletableFuture.completedFuture(new Next<>(null, pause));
    }

    private CompletableFuture<Next<D, R>> page(Transaction tx, DueJobs due, long now) {
        ArchiveLease.take(tx, keys, name, now, LEASE);
        return ArchivePage.load(tx, keyspace, due, type, codec, Instant.ofEpochMilli(now))
                .thenApply(page -> new Next<>(page.orElse(null), Pause.none()));
    }

    /** An exception fails the round; the loop backs off and offers the same jobs again. */
    private CompletableFuture<Void> handOver(ArchivePage<D, R> page) {
        return CompletableFuture.completedFuture(page)
                .thenComposeAsync(
                        full -> full.jobs().isEmpty()
                                ? CompletableFuture.completedFuture(full)
                                : store(full).thenApply(stored -> full),
                        executor)
                .thenCompose(taken -> transactions.run(database, tx -> taken.remove(tx, keyspace, keys)))
                .whenComplete((done, error) -> {
                    if (error != null) {
                        batch.ended(error); // perhaps there were too many to remove
                    }
                });
    }

    private CompletableFuture<Optional<?>> store(ArchivePage<D, R> page) {
        return UserCode.async("JobArchive.store", archive::store)
                .apply(page.jobs())
                .thenApply(Optional::ofNullable);
    }
}
