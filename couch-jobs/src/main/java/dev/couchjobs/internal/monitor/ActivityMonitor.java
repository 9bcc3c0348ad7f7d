package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.ActivityIndex;
import dev.couchjobs.internal.data.ChangeFeed;
import dev.couchjobs.internal.data.Counts;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Stamps;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.data.TypeTimeouts;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.NextRows;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Makes the jobs of one type pending again when their processors have gone silent (RFC 007, "Activity Monitor").
 *
 * <p>A silent processor counts as a failed attempt: a job whose last attempt that was has failed.
 *
 * <p>Four times in every activity timeout T it marks the database's read version. A job whose last sign of life is not
 * after a mark that is T old has been silent for T, whatever any clock says, and is put back: between T and 1.5 T after
 * its last sign of life, plus the time of one transaction. Any number of monitors may run on any nodes: a job is put back
 * only if it still runs under the very sequence that was seen, so what two of them both try happens once.
 *
 * <p>It also trims the change feed, checks that jobs are taken ({@link LeaderCheck}), and audits the leases of one page of
 * jobs a round ({@link LeaseAudit}). While nothing
 * runs and the feed is empty it rests, and a watch wakes it.
 */
final class ActivityMonitor implements AutoCloseable {
    private static final Duration WITHOUT_TIMEOUT_CHECK_EVERY = Duration.ofSeconds(5);
    private static final int MARKS_PER_TIMEOUT = 4;
    private static final int JITTER_PERCENT = 20;
    private static final int BATCH_MAX = 100;
    /** A watch tells of the next job; this is for the case that one does not. */
    private static final Duration LONGEST_REST = Duration.ofMinutes(5);

    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final Supplier<JobType<?, ?>> policy;
    private final NextRows nextRows;
    private final Duration feedRetention;
    private final Loop loop;

    // Touched by one round at a time.
    private final AgedMarks leaseMarks = new AgedMarks();
    private final AgedMarks feedMarks = new AgedMarks();
    private Optional<Duration> timeout = Optional.empty();
    private Duration lastPause = Duration.ZERO;
    private final BatchSize batch = new BatchSize(BATCH_MAX);
    private final LeaseAudit audit;
    private final LeaderCheck leaderCheck;

    /** @param policy says by which job type jobs are treated whose processors have gone silent */
    ActivityMonitor(Instance instance, String typeName, Supplier<JobType<?, ?>> policy, Duration feedRetention) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("monitor", typeName);
        this.keys = keyspace.type(typeName);
        this.policy = policy;
        this.nextRows = new NextRows(environment);
        this.feedRetention = feedRetention;
        this.audit = new LeaseAudit(database, transactions, keyspace, keys);
        this.leaderCheck = new LeaderCheck(instance, transactions, keys);
        this.loop = new Loop("activity monitor of " + typeName, environment, this::round);
    }

    /** Begins to watch. */
    void start() {
        loop.poke();
    }

    @Override
    public void close() {
        loop.close();
    }

    /** @param news completes when there is something to watch over; empty if there is */
    private record Now(
            Optional<Duration> timeout,
            Versionstamp sequence,
            LeaderCheck.Seen waiting,
            Optional<CompletableFuture<Void>> news) {
        Now with(LeaderCheck.Seen seen) {
            return new Now(timeout, sequence, seen, news);
        }

        Now until(CompletableFuture<Void> coming) {
            return new Now(timeout, sequence, waiting, Optional.of(coming));
        }
    }

    private CompletableFuture<Pause> round() {
        leaseMarks.elapse(lastPause);
        feedMarks.elapse(lastPause);
        lastPause = Duration.ZERO; // counts only once it has been slept through
        return look().thenCompose(now -> {
            if (!now.timeout().equals(timeout)) {
                timeout = now.timeout();
                leaseMarks.forget();
            }
            CompletableFuture<?> checked = leaderCheck.judge(now.waiting());
            return now.news().isPresent()
                    ? checked.thenApply(done -> rest(now.news().get()))
                    : checked.thenCompose(done -> act(now))
                            .thenCompose(done -> audit.step())
                            .thenApply(done -> pause());
        });
    }

    private CompletableFuture<Now> look() {
        return transactions.run(database, tx -> {
            CompletableFuture<Optional<Duration>> limit = TypeTimeouts.get(tx, keys);
            CompletableFuture<Boolean> isQuiet = ActivityIndex.isEmpty(tx, keys)
                    .thenCombine(ChangeFeed.isEmpty(tx, keys), Boolean::logicalAnd)
                    .thenCombine(Counts.read(tx.snapshot(), keys), (empty, counts) -> empty && counts.running() == 0);
            CompletableFuture<LeaderCheck.Seen> waiting = leaderCheck.look(tx.snapshot());
            return tx.getReadVersion()
                    .thenCombine(
                            limit,
                            (version, known) ->
                                    new Now(known, Stamps.upTo(version), LeaderCheck.Seen.NOTHING, Optional.empty()))
                    .thenCombine(waiting, Now::with)
                    .thenCombine(isQuiet, (now, quiet) -> quiet ? now.until(news(tx, now.timeout())) : now);
        });
    }

    /** What makes a job run also appends to the feed. Without a timeout nothing can be added, and nothing is silent. */
    private CompletableFuture<Void> news(Transaction tx, Optional<Duration> limit) {
        return limit.isPresent() ? tx.watch(keys.watchesActivity()) : TypeTimeouts.watch(tx, keys);
    }

    /** Nothing runs, and there is nothing to trim. Time that passes now makes nothing older. */
    private Pause rest(CompletableFuture<Void> news) {
        leaseMarks.forget();
        feedMarks.forget();
        return Pause.until(news).butAtMost(LONGEST_REST);
    }

    private CompletableFuture<?> act(Now now) {
        if (timeout.isEmpty()) {
            return trim(now);
        }
        Duration age = timeout.get();
        leaseMarks.mark(now.sequence(), Duration.ZERO);
        Optional<Versionstamp> silent = leaseMarks.takeOlderThan(age);
        return silent.isEmpty() ? trim(now) : sweepOrPutBack(silent.get(), age).thenCompose(done -> trim(now));
    }

    /** A sweep that fails is made up for in the next round, however soon that comes. */
    private CompletableFuture<?> sweepOrPutBack(Versionstamp silentSince, Duration age) {
        return sweep(silentSince).whenComplete((more, error) -> {
            if (error != null) {
                leaseMarks.putBack(silentSince, age);
            }
        });
    }

    private Pause pause() {
        Duration full = timeout.map(t -> t.dividedBy(MARKS_PER_TIMEOUT)).orElse(WITHOUT_TIMEOUT_CHECK_EVERY);
        int percent = 100 + environment.random().nextInt(JITTER_PERCENT + 1);
        lastPause = full.multipliedBy(percent).dividedBy(100);
        return Pause.atMost(lastPause);
    }

    private CompletableFuture<Boolean> sweep(Versionstamp silentSince) {
        return batch.run(tries ->
                        transactions.run(database, tx -> tries.next(size -> sweepBatch(tx, silentSince, size))))
                .thenCompose(more -> more ? sweep(silentSince) : CompletableFuture.completedFuture(false));
    }

    /** Tells whether there may be more. */
    private CompletableFuture<Boolean> sweepBatch(Transaction tx, Versionstamp silentSince, int size) {
        return ActivityIndex.silentSince(tx, keys, silentSince, size).thenCompose(rows -> {
            List<ActivityIndex.Entry> some = fitting(rows, size);
            return enqueueAll(tx, some).thenApply(done -> rows.size() == size || some.size() < rows.size());
        });
    }

    /** The first rows that stand for so many jobs, at least one row. */
    private static List<ActivityIndex.Entry> fitting(List<ActivityIndex.Entry> rows, int jobs) {
        int taken = 0;
        int sum = 0;
        while (taken < rows.size()
                && (taken == 0 || sum + rows.get(taken).jobIds().size() <= jobs)) {
            sum += rows.get(taken++).jobIds().size();
        }
        return rows.subList(0, taken);
    }

    /** The rows stand for nobody then, not even for those they named wrongly. */
    private CompletableFuture<?> enqueueAll(Transaction tx, List<ActivityIndex.Entry> rows) {
        Set<Versionstamp> seen =
                rows.stream().map(ActivityIndex.Entry::sequence).collect(Collectors.toSet());
        List<JobRef> refs = rows.stream()
                .flatMap(row -> row.jobIds().stream())
                .distinct()
                .map(jobId -> keyspace.job(keys.typeName(), jobId))
                .toList();
        return JobTable.editAll(tx, refs, jobs -> {
            List<JobTable.Step> steps = new ArrayList<>(refs.size());
            for (int i = 0; i < refs.size(); i++) {
                JobRef ref = refs.get(i);
                jobs.get(i)
                        .filter(silent -> silent.sequence() != null && seen.contains(silent.sequence()))
                        .ifPresent(silent -> {
                            JobTable.conflictWithHeartbeats(tx, ref);
                            steps.add(new JobTable.Step(ref, silent, nextRows.expired(policy.get(), silent)));
                        });
            }
            JobTable.saveAll(tx, keys, steps, OptionalLong.empty());
            seen.forEach(sequence -> ActivityIndex.clear(tx, keys, sequence));
            return CompletableFuture.completedFuture(refs);
        });
    }

    private CompletableFuture<?> trim(Now now) {
        feedMarks.mark(now.sequence(), feedRetention.dividedBy(8));
        Optional<Versionstamp> old = feedMarks.takeOlderThan(feedRetention);
        return old.isEmpty()
                ? CompletableFuture.completedFuture(old)
                : transactions.run(database, tx -> ChangeFeed.trim(tx, keys, old.get()));
    }
}
