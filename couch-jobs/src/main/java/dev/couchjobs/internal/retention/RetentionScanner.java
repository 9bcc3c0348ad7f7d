package dev.couchjobs.internal.retention;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
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
        this.transactions = instance.transactions().named("look for what is due", "");
        this.clock = clock;
        this.loop = new Loop("look for what is due", environment, this::round);
    }

    private record Rest(Instant until, Duration time) {
        /** A clock that was set back does not prolong the pause. */
        boolean isOver(Instant now) {
            Duration left = left(now);
            return left.compareTo(time.dividedBy(EARLY_PART)) <= 0 || left.compareTo(time) > 0;
        }

        Duration left(Instant now) {
            return Duration.between(now, until);
        }
    }

    /** A sweep found no due job and is to be scanned for again after a time. */
    void rest(RetentionSweeper sweeper, Duration time) {
        boolean isNext;
        synchronized (this) {
            if (sweeper.isClosed()) {
                return;
            }
            Rest rest = new Rest(now().plus(time), time);
            resting.put(sweeper, rest);
            isNext = rest.until().isBefore(pausedUntil) || pausedUntil.equals(Instant.MIN);
        }
        if (isNext) {
            loop.wakeUp();
        }
    }

    /** A sweep has closed; the scanner forgets it. */
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
                        tx -> tries.next(size -> look(tx, now, over.subList(0, Math.min(size, over.size()))))))
                .thenApply(found -> {
                    found.forEach((sweeper, due) -> end(sweeper, due, now));
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
                .map(rest -> rest.left(now))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ofDays(1));
        pausedUntil = now.plus(next);
        return Pause.atMost(next);
    }

    /** The transaction stores this process's clock as well, for others to compare with theirs. */
    private CompletableFuture<Map<RetentionSweeper, OptionalLong>> look(
            Transaction tx, Instant now, List<RetentionSweeper> some) {
        Map<RetentionSweeper, CompletableFuture<OptionalLong>> looks = new LinkedHashMap<>();
        some.forEach(sweeper -> looks.put(sweeper, sweeper.nextDue(tx)));
        return CompletableFuture.allOf(looks.values().toArray(CompletableFuture<?>[]::new))
                .thenCombine(clock.mayRemove(tx, now), (done, may) -> {
                    Map<RetentionSweeper, OptionalLong> found = new LinkedHashMap<>();
                    looks.forEach((sweeper, look) -> found.put(sweeper, look.join()));
                    return found;
                });
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
