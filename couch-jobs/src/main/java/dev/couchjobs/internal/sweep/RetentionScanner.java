package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

    private static final Duration IDLE_PAUSE = Duration.ofDays(1);

    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final ClockCheck clock;
    private final BatchSize batch = new BatchSize(TYPES_MAX);
    private final Loop loop;

    @GuardedBy("this") private final Map<RetentionSweeper, Rest> resting = new LinkedHashMap<>();

    @GuardedBy("this") private long pausedUntil = Long.MIN_VALUE;

    /** The longest pause of a sweep in the layout that this process has read last. */
    @GuardedBy("this") private Duration longest = SweepInterval.LONGEST_AT_MOST;

    RetentionScanner(Instance instance, ClockCheck clock) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = instance.transactions().named("scan retention", "");
        this.clock = clock;
        this.loop = new Loop("scan retention", environment, this::round);
    }

    /**
     * A pause of a sweeper, in milliseconds, because each round looks at the pauses of all types.
     *
     * @param assumed the longest pause in the layout from which it follows
     */
    private record Rest(RetentionSweeper sweeper, long until, long time, Duration assumed) {
        /** A clock that was set back does not prolong the pause. */
        boolean isOver(long now) {
            long remaining = until - now;
            return remaining <= time / EARLY_PART || remaining > time;
        }
    }

    /**
     * Schedules the next scan for a sweeper that found no due job.
     *
     * @param assumed the longest pause in the layout from which the pause follows; if this process has read one since
     *     that demands shorter pauses, the next scan is at once
     */
    void rest(RetentionSweeper sweeper, Duration time, Duration assumed) {
        boolean isNext;
        synchronized (this) {
            if (sweeper.isClosed()) {
                return;
            }
            long now = environment.clock().millis();
            long millis = longest.compareTo(assumed) < 0 ? 0 : time.toMillis();
            Rest rest = new Rest(sweeper, now + millis, millis, assumed);
            resting.put(sweeper, rest);
            // A clock that was set forward passes the end of a pause that still lasts.
            isNext = rest.until() < pausedUntil || now >= pausedUntil;
        }
        if (isNext) {
            loop.wakeUp();
        }
    }

    /** Ends the pauses that follow from a layout without the need of shorter ones. */
    void noticed(Layout layout) {
        Duration longestNow = SweepInterval.longest(layout);
        boolean endsSome = false;
        synchronized (this) {
            if (longestNow.equals(longest)) {
                return;
            }
            longest = longestNow;
            long now = environment.clock().millis();
            for (Rest rest : List.copyOf(resting.values())) {
                if (longest.compareTo(rest.assumed()) < 0 && !rest.isOver(now)) {
                    resting.put(rest.sweeper(), new Rest(rest.sweeper(), now, 0, rest.assumed()));
                    endsSome = true;
                }
            }
        }
        if (endsSome) {
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

    private CompletableFuture<Pause> round() {
        Instant now = environment.clock().instant();
        List<RetentionSweeper> over = over(now.toEpochMilli());
        if (over.isEmpty()) {
            return CompletableFuture.completedFuture(pause(now.toEpochMilli()));
        }
        return batch.run(tries -> transactions.run(
                        database,
                        tx -> tries.next(size -> readNextDue(tx, now, over.subList(0, Math.min(size, over.size()))))))
                .thenApply(nextDue -> {
                    nextDue.forEach((sweeper, due) -> end(sweeper, due, now));
                    return Pause.none();
                });
    }

    private synchronized List<RetentionSweeper> over(long now) {
        List<Rest> over = new ArrayList<>();
        for (Rest rest : resting.values()) {
            if (rest.isOver(now)) {
                over.add(rest);
            }
        }
        over.sort(Comparator.comparingLong(Rest::until));
        return over.stream().limit(TYPES_MAX).map(Rest::sweeper).toList();
    }

    private synchronized Pause pause(long now) {
        long next = IDLE_PAUSE.toMillis();
        for (Rest rest : resting.values()) {
            next = Math.min(next, rest.until() - now);
        }
        pausedUntil = now + next;
        return Pause.atMost(Duration.ofMillis(next));
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
            rest(sweeper, sweeper.intervalUntil(due), sweeper.longestByLayout());
        }
    }
}
