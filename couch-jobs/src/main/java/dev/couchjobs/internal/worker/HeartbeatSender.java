package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.data.TypeTimeouts;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
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
 * <p>Six times in an activity timeout it looks for jobs whose lease was not renewed for a whole round. So none is
 * silent for longer than a third of the timeout, and one that ends before costs nothing. A watch fires when the timeout
 * is changed.
 *
 * <p>While the worker holds no jobs of the type, there are no rounds and no watch. The timeout may change meanwhile, to
 * as little as the shortest there is, so it is read again as early as that asks for.
 */
final class HeartbeatSender<D> implements AutoCloseable {
    private static final int ROUNDS_PER_TIMEOUT = 6;
    private static final int JITTER_PERCENT = 10;
    private static final int JOBS_PER_TRANSACTION = 400;
    private static final Duration CONFIRM_WITHIN = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatSender.class);
    private static final Duration WITHOUT_TIMEOUT_LOOK_EVERY = Duration.ofSeconds(30);
    /** After the first job. Most jobs have ended by then, and cost no look. */
    private static final Duration FIRST_LOOK_AFTER = TypeTimeouts.TIMEOUT_MIN.dividedBy(ROUNDS_PER_TIMEOUT);

    private enum Phase {
        RESTING,
        ROUSED,
        BEATING
    }

    private final TypeRuns<D> runs;
    private final DueRuns<D> dueRuns;
    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final BatchSize batch = new BatchSize(JOBS_PER_TRANSACTION);
    private final Loop loop;

    // Touched by one round at a time.
    private Optional<Duration> timeout = Optional.empty();
    private Phase phase = Phase.RESTING;
    private volatile @Nullable CompletableFuture<Void> watch;

    /** The runs of which signs of life are due. */
    @FunctionalInterface
    interface DueRuns<D> {
        /**
         * Begins another round.
         *
         * @param roundTime how long each round lasts
         * @return those whose lease was not renewed in all of the last one
         */
        List<JobRun<D>> nextRound(Duration roundTime);
    }

    HeartbeatSender(TypeRuns<D> runs, DueRuns<D> dueRuns, Instance instance) {
        this.runs = runs;
        this.dueRuns = dueRuns;
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = instance.transactions()
                .named("heartbeat", runs.type().name())
                .untagged(); // a worker that is throttled keeps its jobs
        this.keys = instance.keyspace().type(runs.type().name());
        this.loop = new Loop(
                "heartbeats of " + runs.type(), environment, instance.database().getExecutor(), this::round);
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
        CompletableFuture<Void> armed = watch;
        if (armed != null) {
            armed.cancel(false);
        }
    }

    private CompletableFuture<Pause> round() {
        if (runs.suspendHeartbeats()) {
            dropWatch();
            phase = Phase.RESTING;
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        return switch (phase) {
            case RESTING -> {
                phase = Phase.ROUSED;
                yield CompletableFuture.completedFuture(Pause.atMost(FIRST_LOOK_AFTER));
            }
            case ROUSED ->
                learnTimeout().thenApply(known -> {
                    note(known);
                    phase = Phase.BEATING;
                    return pause(FIRST_LOOK_AFTER);
                });
            case BEATING -> learnTimeout().thenCompose(this::sendIfKnown).thenApply(done -> pause(Duration.ZERO));
        };
    }

    private CompletableFuture<Void> sendIfKnown(Optional<Duration> known) {
        note(known);
        return known.isEmpty() ? CompletableFuture.completedFuture(null) : send(known.get());
    }

    private void note(Optional<Duration> known) {
        timeout = known;
        known.ifPresent(time -> loop.backOffAtMost(time.dividedBy(ROUNDS_PER_TIMEOUT)));
    }

    /** The timeout as it was when the watch on it was armed; read anew once that has fired, or failed. */
    private CompletableFuture<Optional<Duration>> learnTimeout() {
        CompletableFuture<Void> armed = watch;
        if (armed != null && !armed.isDone()) {
            return CompletableFuture.completedFuture(timeout);
        }
        return transactions
                .run(database, tx -> {
                    CompletableFuture<Void> next = TypeTimeouts.watch(tx, keys);
                    return TypeTimeouts.get(tx, keys).thenApply(known -> new Look(known, next));
                })
                .thenApply(look -> {
                    watch = look.watch();
                    var unused = look.watch().thenRun(loop::wakeUp);
                    return look.timeout();
                });
    }

    private record Look(Optional<Duration> timeout, CompletableFuture<Void> watch) {}

    /** No transaction waits for another, nor for longer than a job may wait for its next sign of life. */
    private CompletableFuture<Void> send(Duration known) {
        List<JobRun<D>> due = dueRuns.nextRound(known.dividedBy(ROUNDS_PER_TIMEOUT));
        return send(due, known.dividedBy(3));
    }

    /**
     * Stores the starts of jobs, beside the rounds. Nothing is lost if that fails: the next round stores them.
     */
    void confirm(List<JobRun<?>> begun) {
        if (begun.isEmpty()) {
            return;
        }
        var unused = CompletableFuture.completedFuture(begun)
                .thenComposeAsync(some -> send(some, CONFIRM_WITHIN), database.getExecutor())
                .exceptionally(error -> {
                    LOG.debug("Jobs of type {} could not be confirmed", runs.type(), error);
                    return null;
                });
    }

    private CompletableFuture<Void> send(List<? extends JobRun<?>> due, Duration within) {
        List<CompletableFuture<?>> sent = new ArrayList<>();
        int most = batch.now();
        for (int from = 0; from < due.size(); from += most) {
            List<JobRun<?>> some = List.copyOf(due.subList(from, Math.min(due.size(), from + most)));
            Map<JobRun<?>, Optional<SharedActivity>> before = runs.activities().of(some);
            Heartbeat heartbeat = new Heartbeat(keys, some, runs.activities().emptiedBy(some));
            sent.add(transactions
                    .run(database, tx -> {
                        tx.options().setTimeout(within.toMillis());
                        return heartbeat.write(tx);
                    })
                    .whenComplete((renewedClaims, error) -> batch.ended(error))
                    .thenAccept(renewedClaims -> runs.heard(renewedClaims, before)));
        }
        return CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new));
    }

    /** Until the next round, of which some has passed. */
    private Pause pause(Duration passed) {
        if (timeout.isEmpty()) {
            return Pause.atMost(WITHOUT_TIMEOUT_LOOK_EVERY);
        }
        int percent = 100 - environment.random().nextInt(JITTER_PERCENT + 1);
        Duration left = timeout.get()
                .dividedBy(ROUNDS_PER_TIMEOUT)
                .multipliedBy(percent)
                .dividedBy(100)
                .minus(passed);
        return Pause.atMost(left.isNegative() ? Duration.ZERO : left);
    }
}
