package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.internal.batches.BatchSettlement;
import dev.couchjobs.internal.features.Features;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.quarantine.IndexCheck;
import dev.couchjobs.internal.retention.RetentionIndex;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Observers;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Removes the jobs of one type whose retention is over, as {@code remove} does, and ends the jobs that have not begun
 * by their deadlines: a bounded number at a time and without a scan of the jobs. When no job is due, it does the {@link
 * IndexCheck} if one is needed. Otherwise it pauses until {@link RetentionScanner} starts it again.
 *
 * <p>Any number of processes may sweep a type. They conflict only on the rows of the jobs. A process that lost such a
 * conflict skips some jobs at its next try.
 */
final class RetentionSweeper implements AutoCloseable {
    private static final int JOBS_MAX = 100;
    private static final long AT_ONCE = 0;
    /** How long the closing job of a batch waits at most after the process has died that was to close the batch. */
    private static final Duration BATCHES_CHECKED_AFTER = Duration.ofMinutes(1);

    private static final int ROWS_SKIPPED_MAX = 20;

    private final Database database;
    private final Observers<JobsListener> listeners;
    private final Environment environment;
    private final Transactions transactions;
    private final JobType<?, ?> type;
    private final Keyspace keyspace;
    private final TypeKeys keys;
    private final LayoutRow layoutRow;
    private final LateJobs lateJobs;
    private final BatchSettlement batches;
    private final SweepInterval sweepInterval;
    private final ClockCheck clock;
    private final RetentionScanner scanner;
    private final BatchSize batch = new BatchSize(JOBS_MAX);
    private final Loop loop;
    private volatile boolean closed;
    /** Used by one round at a time. */
    private IndexCheck.Step indexCheck = IndexCheck.Step.NONE;

    RetentionSweeper(Instance instance, JobType<?, ?> type, ClockCheck clock, RetentionScanner scanner) {
        this.clock = clock;
        this.scanner = scanner;
        this.database = instance.database();
        this.listeners = instance.listeners();
        this.environment = instance.environment();
        this.transactions = instance.transactions().named("retire", type.name());
        this.type = type;
        this.keyspace = instance.keyspace();
        this.keys = instance.keyspace().type(type.name());
        this.layoutRow = new LayoutRow(instance.keyspace());
        this.lateJobs = new LateJobs(instance, type);
        this.batches = new BatchSettlement(instance.keyspace());
        this.sweepInterval = new SweepInterval(environment, type.retention());
        this.loop = new Loop("retention of " + type, environment, this::round);
    }

    void start() {
        scanner.rest(this, Duration.ZERO, longestByLayout());
    }

    /** Starts a sweep, because jobs are due. */
    void begin() {
        loop.wakeUp();
    }

    /** {@return when the next jobs are due, or the check of the indexes is, in seconds since the epoch, if any are} */
    CompletableFuture<OptionalLong> nextDue(Transaction tx) {
        CompletableFuture<?> retention =
                TypeRetention.ending(tx, keys, type).thenAccept(ending -> sweepInterval.retention(ending.retention()));
        return RetentionIndex.nextDue(tx, keys, false)
                .thenCombine(layoutRow.checkedBy(tx), (due, layout) -> {
                    sweepInterval.layout(layout);
                    return due;
                })
                .thenCombine(retention, (due, read) -> due)
                .thenCombine(
                        IndexCheck.isNeeded(tx, keys), (due, isNeeded) -> isNeeded ? OptionalLong.of(AT_ONCE) : due);
    }

    /** {@return the pause before the next scan if the next jobs are due at a second} */
    Duration intervalUntil(OptionalLong dueSecond) {
        return sweepInterval.until(dueSecond).atMost().orElseThrow();
    }

    /** {@return the longest pause in the layout that this sweep has read last} */
    Duration longestByLayout() {
        return sweepInterval.longestByLayout();
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true; // first, so that the scanner starts no pause for it after it has forgotten it
        scanner.forget(this);
        loop.close();
    }

    /** One bounded transaction. */
    private CompletableFuture<Pause> round() {
        return batch.run(tries -> transactions.run(
                        database,
                        tx -> tries.next(size -> {
                            int skip = tries.isRetry() ? environment.random().nextInt(ROWS_SKIPPED_MAX) : 0;
                            return sweep(tx, environment.clock().instant(), skip, size);
                        })))
                .thenApply(swept -> {
                    report(swept.removed());
                    indexCheck = swept.indexCheck();
                    swept.rest().ifPresent(time -> scanner.rest(this, time, longestByLayout()));
                    return swept.rest().isPresent() ? Pause.untilWakeUp() : Pause.none();
                });
    }

    private void report(int removed) {
        if (removed > 0 && !listeners.isEmpty()) {
            JobsListener.Removed event = new JobsListener.Removed(keys.typeName(), removed);
            listeners.report("removed", listener -> listener.removed(event));
        }
    }

    /**
     * The result of one transaction.
     *
     * @param removed how many jobs were removed
     * @param rest the pause, if there was nothing to do
     * @param indexCheck what is known of the check of the indexes
     */
    private record Swept(int removed, Optional<Duration> rest, IndexCheck.Step indexCheck) {}

    private CompletableFuture<Swept> sweep(Transaction tx, Instant now, int skip, int jobs) {
        CompletableFuture<Boolean> mayRemove = clock.mayRemove(tx, now);
        return DueJobs.read(tx, keys, false, now.getEpochSecond(), skip, jobs)
                .thenCompose(due -> mayRemove.thenCompose(
                        allowed -> due.isEmpty() ? checkIndexes(tx, jobs) : next(tx, due, allowed, now)));
    }

    private CompletableFuture<Swept> checkIndexes(Transaction tx, int rows) {
        return IndexCheck.step(tx, keys, Features.CHECKS, indexCheck, rows)
                .thenCompose(step -> step.isDone()
                        ? CompletableFuture.completedFuture(new Swept(0, Optional.empty(), step))
                        : nextDue(tx)
                                .thenApply(sweepInterval::until)
                                .thenApply(pause -> new Swept(0, pause.atMost(), step)));
    }

    private CompletableFuture<Swept> next(Transaction tx, DueJobs due, boolean mayRemove, Instant now) {
        if (!mayRemove) {
            return CompletableFuture.completedFuture(
                    new Swept(0, sweepInterval.untilClocksAgree().atMost(), indexCheck));
        }
        return due.confirmed(tx, keys).thenCompose(jobs -> {
            Map<String, JobRow> ended = new LinkedHashMap<>();
            Map<String, JobRow> late = new LinkedHashMap<>();
            Map<String, JobRow> closing = new LinkedHashMap<>();
            jobs.forEach((id, row) -> {
                if (row.state() == JobState.FINISHED) {
                    ended.put(id, row);
                } else {
                    (row.isLate(now.toEpochMilli()) ? late : closing).put(id, row);
                }
            });
            return new GraphEnds(tx, keyspace)
                    .staying(ended)
                    .thenCompose(staying -> {
                        PutOffJobs.putOff(tx, keys, false, staying, ended, now);
                        ended.keySet().removeAll(staying);
                        due.remove(tx, keys, ended, due.rows());
                        return lateJobs.end(tx, keys, late, now);
                    })
                    .thenCompose(done -> checkBatches(tx, closing, now))
                    .thenApply(done -> new Swept(ended.size(), Optional.empty(), indexCheck));
        });
    }

    /** Closes batches that no process has closed after their last members had ended. */
    private CompletableFuture<?> checkBatches(Transaction tx, Map<String, JobRow> closing, Instant now) {
        List<CompletableFuture<?>> checks = new ArrayList<>(closing.size());
        closing.forEach((id, row) -> Optional.ofNullable(row.awaitedBatch())
                .ifPresent(batch -> checks.add(batches.check(tx, new JobRef(keys, id), batch)
                        .thenAccept(done -> {
                            if (!done) {
                                long next = now.plus(BATCHES_CHECKED_AFTER).getEpochSecond();
                                RetentionIndex.add(tx, new JobRef(keys, id), next);
                            }
                        }))));
        return Futures.allOf(checks);
    }
}
