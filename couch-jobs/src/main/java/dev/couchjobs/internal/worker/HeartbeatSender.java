package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.activity.SharedActivity;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeTimeouts;
import dev.couchjobs.loop.ArmedWatch;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of the jobs of one type in a worker, many in one transaction.
 *
 * <p>A round begins six times in an activity timeout. It sends heartbeats for the jobs whose lease was not renewed in
 * the whole last round. So each lease is renewed within a third of the timeout, and a job that ends before its first
 * heartbeat costs nothing. A watch fires when the timeout changes.
 *
 * <p>While the worker holds no jobs of the type, there are no rounds and no watch. The timeout may change meanwhile to
 * the shortest possible one, so the first read comes as early as that requires.
 */
final class HeartbeatSender<D> implements AutoCloseable {
    private static final int ROUNDS_PER_TIMEOUT = 6;
    private static final int JITTER_PERCENT = 10;
    private static final int JOBS_PER_TRANSACTION = 400;
    private static final Duration CONFIRM_WITHIN = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatSender.class);
    private static final Duration MISSING_TIMEOUT_READ_INTERVAL = Duration.ofSeconds(30);
    /** The time from the first job to the first read of the timeout. Most jobs end before, and cost no read. */
    static final Duration FIRST_READ_DELAY = TypeTimeouts.TIMEOUT_MIN.dividedBy(ROUNDS_PER_TIMEOUT);

    private enum Phase {
        SUSPENDED,
        STARTING,
        ACTIVE
    }

    private final HandledType<D> type;
    private final Runnable onSuspend;
    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final WatchLooks looks;
    private final BatchSize batchSize = new BatchSize(JOBS_PER_TRANSACTION);
    private final Loop loop;

    /** Changed by one round at a time. */
    private volatile Optional<Duration> timeout = Optional.empty();

    // Touched by one round at a time.
    private Phase phase = Phase.SUSPENDED;
    private volatile @Nullable CompletableFuture<Void> watch;

    /** @param onSuspend runs when the worker no longer holds jobs of the type */
    HeartbeatSender(HandledType<D> type, Runnable onSuspend, Instance instance) {
        this.onSuspend = onSuspend;
        this.type = type;
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = instance.transactions()
                .named("heartbeat", type.type().name())
                .untagged(); // a worker that is throttled keeps its jobs
        this.keys = instance.keyspace().type(type.type().name());
        this.looks = instance.looks();
        this.loop = new Loop("heartbeats of " + type.type(), environment, instance.executor(), this::round);
    }

    /** The worker holds jobs of the type again. */
    void resume() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
        dropWatch();
    }

    private void dropWatch() {
        CompletableFuture<Void> present = watch;
        if (present != null) {
            present.cancel(false);
        }
    }

    private CompletableFuture<Pause> round() {
        if (type.suspendHeartbeats()) {
            dropWatch();
            onSuspend.run();
            phase = Phase.SUSPENDED;
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        return switch (phase) {
            case SUSPENDED -> {
                phase = Phase.STARTING;
                yield CompletableFuture.completedFuture(Pause.atMost(FIRST_READ_DELAY));
            }
            case STARTING ->
                learnTimeout().thenApply(learnt -> {
                    setTimeout(learnt);
                    phase = Phase.ACTIVE;
                    return pause(FIRST_READ_DELAY);
                });
            case ACTIVE -> learnTimeout().thenCompose(this::sendIfSet).thenApply(done -> pause(Duration.ZERO));
        };
    }

    private CompletableFuture<Void> sendIfSet(Optional<Duration> learnt) {
        setTimeout(learnt);
        return learnt.isEmpty() ? CompletableFuture.completedFuture(null) : send(learnt.get());
    }

    private void setTimeout(Optional<Duration> learnt) {
        timeout = learnt;
        learnt.ifPresent(time -> loop.backOffAtMost(time.dividedBy(ROUNDS_PER_TIMEOUT)));
    }

    /** {@return the timeout as of the present watch; reads it again once the watch has fired or failed} */
    private CompletableFuture<Optional<Duration>> learnTimeout() {
        CompletableFuture<Void> present = watch;
        if (present != null && !present.isDone()) {
            return CompletableFuture.completedFuture(timeout);
        }
        return transactions
                .run(
                        database,
                        tx -> TypeTimeouts.get(tx, keys).thenCombine(TypeTimeouts.watch(tx, keys), TimeoutRead::new))
                .thenApply(read -> {
                    CompletableFuture<Void> next = looks.await(read.watch());
                    watch = next;
                    var unused = next.thenRun(loop::wakeUp);
                    return read.timeout();
                });
    }

    /** A read of the timeout, and the watch that fires when it changes. */
    private record TimeoutRead(Optional<Duration> timeout, ArmedWatch watch) {}

    /** No transaction waits for another, nor for longer than a job may wait for its next heartbeat. */
    private CompletableFuture<Void> send(Duration activityTimeout) {
        List<JobRun<?>> due = type.nextRound(activityTimeout.dividedBy(ROUNDS_PER_TIMEOUT));
        return send(due, activityTimeout.dividedBy(3));
    }

    /**
     * Stores the starts of jobs, independently of the rounds. If that fails, the next round stores them.
     */
    void confirm(List<JobRun<?>> started) {
        if (started.isEmpty()) {
            return;
        }
        var unused = CompletableFuture.completedFuture(started)
                .thenComposeAsync(
                        unconfirmed -> send(unconfirmed, CONFIRM_WITHIN), GuardedExecutor.of(database, environment))
                .exceptionally(error -> {
                    LOG.debug("Jobs of type {} could not be confirmed", type.type(), error);
                    return null;
                });
    }

    private CompletableFuture<Void> send(List<JobRun<?>> due, Duration within) {
        List<CompletableFuture<?>> sent = new ArrayList<>();
        int jobsMax = batchSize.now();
        for (int from = 0; from < due.size(); from += jobsMax) {
            List<JobRun<?>> portion = List.copyOf(due.subList(from, Math.min(due.size(), from + jobsMax)));
            Map<JobRun<?>, Optional<SharedActivity>> before = type.activities().activitiesOf(portion);
            Heartbeat heartbeat = new Heartbeat(keys, portion, type.activities().emptiedBy(portion));
            sent.add(transactions
                    .run(database, tx -> {
                        tx.options().setTimeout(within.toMillis());
                        return heartbeat.write(tx);
                    })
                    .whenComplete((result, error) -> batchSize.ended(error))
                    .thenAccept(result -> type.renewed(result, before, timeout)));
        }
        return Futures.allOf(sent);
    }

    /** {@return the pause until the next round, less the time that has passed} */
    private Pause pause(Duration passed) {
        if (timeout.isEmpty()) {
            return Pause.atMost(MISSING_TIMEOUT_READ_INTERVAL);
        }
        int percent = 100 - environment.random().nextInt(JITTER_PERCENT + 1);
        Duration remaining = timeout.get()
                .dividedBy(ROUNDS_PER_TIMEOUT)
                .multipliedBy(percent)
                .dividedBy(100)
                .minus(passed);
        return Pause.atMost(remaining.isNegative() ? Duration.ZERO : remaining);
    }
}
