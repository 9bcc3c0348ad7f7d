package dev.couchjobs.internal.retention;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Scans the retention index for due jobs, many types in one transaction, and starts the sweeps of the types that have
 * some.
 */
final class RetentionScanner implements AutoCloseable {
    private static final int TYPES_MAX = 100;
    /** A sweep may start early by this part of its pause, together with others. */
    private static final int EARLY_PART = 10;

    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final ClockCheck clock;
    private final BatchSize batch = new BatchSize(TYPES_MAX);
    private final Loop loop;

    @GuardedBy("this") private final Map<RetentionSweeper, Rest> resting = new LinkedHashMap<>();

    @GuardedBy("this") private Instant pausedUntil = Instant.MIN;

    RetentionScanner(Instance instance, ClockCheck clock) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = instance.transactions().named("scan retention", "");
        this.clock = clock;
        this.loop = new Loop("scan retention", environment, this::round);
    }

    private record Rest(Instant until, Duration time) {
        /** A clock that was set back does not prolong the pause. */
        boolean isOver(Instant now) {
            Duration remaining = remaining(now);
            return remaining.compareTo(time.dividedBy(EARLY_PART)) <= 0 || remaining.compareTo(time) > 0;
        }

        Duration remaining(Instant now) {
            return Duration.between(now, until);
        }
    }

    /** Schedules the next scan for a sweeper that found no due job. */
    void rest(RetentionSweeper sweeper, Duration time) {
        boolean isNext;
        synchronized (this) {
            if (sweeper.isClosed()) {
                return;
            }
            Instant now = now();
            Rest rest = new Rest(now.plus(time), time);
            resting.put(sweeper, rest);
            // A clock that was set forward passes the end of a pause that still lasts.
            isNext = rest.until().isBefore(pausedUntil) || !now.isBefore(pausedUntil);
        }
        if (isNext) {
            loop.wakeUp();
        }
    }

    /** Removes a closed sweeper. */
    synchronized void forget(RetentionSweeper sweeper) {
        resting.remove(sweeper);
    }

    @Override
    public void close() {
        loop.close();
    }

    private Instant now() {
        return environment.clock().instant();
    }

    private CompletableFuture<Pause> round() {
        Instant now = now();
        List<RetentionSweeper> over = over(now);
        if (over.isEmpty()) {
            return CompletableFuture.completedFuture(pause(now));
        }
        return batch.run(tries -> transactions.run(
                        database,
                        tx -> tries.next(size -> readNextDue(tx, now, over.subList(0, Math.min(size, over.size()))))))
                .thenApply(nextDue -> {
                    nextDue.forEach((sweeper, due) -> end(sweeper, due, now));
                    return Pause.none();
                });
    }

    private synchronized List<RetentionSweeper> over(Instant now) {
        return resting.entrySet().stream()
                .filter(each -> each.getValue().isOver(now))
                .sorted(Comparator.comparing(each -> each.getValue().until()))
                .limit(TYPES_MAX)
                .map(Map.Entry::getKey)
                .toList();
    }

    private synchronized Pause pause(Instant now) {
        Duration next = resting.values().stream()
                .map(rest -> rest.remaining(now))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ofDays(1));
        pausedUntil = now.plus(next);
        return Pause.atMost(next);
    }

    /** Reads the next due times. The transaction also stores a sample of this process's clock for other processes. */
    private CompletableFuture<Map<RetentionSweeper, OptionalLong>> readNextDue(
            Transaction tx, Instant now, List<RetentionSweeper> sweepers) {
        Map<RetentionSweeper, CompletableFuture<OptionalLong>> reads = new LinkedHashMap<>();
        sweepers.forEach(sweeper -> reads.put(sweeper, sweeper.nextDue(tx)));
        return Futures.valuesOf(reads).thenCombine(clock.mayRemove(tx, now), (nextDue, mayRemove) -> nextDue);
    }

    private void end(RetentionSweeper sweeper, OptionalLong due, Instant now) {
        if (due.isPresent() && due.getAsLong() <= now.getEpochSecond()) {
            synchronized (this) {
                resting.remove(sweeper);
            }
            sweeper.begin();
        } else {
            rest(sweeper, sweeper.intervalUntil(due));
        }
    }
}
