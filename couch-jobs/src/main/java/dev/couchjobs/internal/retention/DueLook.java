package dev.couchjobs.internal.retention;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Looks whether the time of jobs is up, for all types of one process and for many of them in one transaction, and has
 * the sweeps of those types begin.
 */
final class DueLook implements AutoCloseable {
    private static final int TYPES_MAX = 100;
    /** By which part of its rest a sweep may be looked at earlier, together with others. */
    private static final int EARLY_PART = 10;

    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final Clocks clocks;
    private final BatchSize batch = new BatchSize(TYPES_MAX);
    private final Loop loop;

    private final Map<Sweep, Rest> resting = new LinkedHashMap<>(); // guarded by this
    private Instant pausedUntil = Instant.MIN; // guarded by this

    DueLook(Instance instance, Clocks clocks) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = instance.transactions().named("look for what is due", "");
        this.clocks = clocks;
        this.loop = new Loop("look for what is due", environment, this::round);
    }

    private record Rest(Instant until, Duration time) {
        /** A clock that was set back must not make the rest longer. */
        boolean isOver(Instant now) {
            Duration left = left(now);
            return left.compareTo(time.dividedBy(EARLY_PART)) <= 0 || left.compareTo(time) > 0;
        }

        Duration left(Instant now) {
            return Duration.between(now, until);
        }
    }

    /** A sweep has found nothing to do, and is to be looked at again after that time. */
    void rest(Sweep sweep, Duration time) {
        boolean isNext;
        synchronized (this) {
            if (sweep.isClosed()) {
                return;
            }
            Rest rest = new Rest(now().plus(time), time);
            resting.put(sweep, rest);
            isNext = rest.until().isBefore(pausedUntil) || pausedUntil.equals(Instant.MIN);
        }
        if (isNext) {
            loop.poke();
        }
    }

    /** A sweep has ended; it is not looked at any more. */
    synchronized void forget(Sweep sweep) {
        resting.remove(sweep);
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
        List<Sweep> over = over(now);
        if (over.isEmpty()) {
            return CompletableFuture.completedFuture(pause(now));
        }
        return batch.run(tries -> transactions.run(
                        database,
                        tx -> tries.next(size -> look(tx, now, over.subList(0, Math.min(size, over.size()))))))
                .thenApply(found -> {
                    found.forEach((sweep, due) -> end(sweep, due, now));
                    return Pause.none();
                });
    }

    private synchronized List<Sweep> over(Instant now) {
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

    /** It notes this process's clock as well, which others compare with theirs. */
    private CompletableFuture<Map<Sweep, OptionalLong>> look(Transaction tx, Instant now, List<Sweep> some) {
        Map<Sweep, CompletableFuture<OptionalLong>> looks = new LinkedHashMap<>();
        some.forEach(sweep -> looks.put(sweep, sweep.nextDue(tx)));
        return CompletableFuture.allOf(looks.values().toArray(CompletableFuture<?>[]::new))
                .thenCombine(clocks.mayRemove(tx, now), (done, may) -> {
                    Map<Sweep, OptionalLong> found = new LinkedHashMap<>();
                    looks.forEach((sweep, look) -> found.put(sweep, look.join()));
                    return found;
                });
    }

    private void end(Sweep sweep, OptionalLong due, Instant now) {
        if (due.isPresent() && due.getAsLong() <= now.getEpochSecond()) {
            synchronized (this) {
                resting.remove(sweep);
            }
            sweep.begin();
        } else {
            rest(sweep, sweep.napUntil(due));
        }
    }
}
