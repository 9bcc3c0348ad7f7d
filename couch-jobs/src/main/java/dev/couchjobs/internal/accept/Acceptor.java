package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Serves all who wait in this process for jobs of one type.
 *
 * <p>It works in rounds. A round claims jobs for everybody who waits, in one transaction. If there is nothing to claim,
 * that same transaction arms a watch on the key that every enqueue changes, so no wake-up is lost between looking and
 * watching, and the next round begins when the watch fires, when the next scheduled job is due, or when somebody new
 * comes. While nobody waits there are no rounds.
 */
public final class Acceptor<D> implements AutoCloseable {
    private static final int JOBS_PER_ROUND_MAX = 100;
    /** The wall clock may be set; a job that is due is found this late at most. */
    private static final Duration CLOCK_TRUSTED_FOR = Duration.ofSeconds(30);

    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final Claims<D> claims;
    private final HandBack handBack;
    private final Spread spread = new Spread();
    private final Loop loop;

    private final Set<Waiter<D>> waiters = new LinkedHashSet<>(); // guarded by itself
    private boolean closed; // guarded by waiters

    Acceptor(
            Database database,
            Environment environment,
            Transactions transactions,
            TypeKeys keys,
            Claims<D> claims,
            HandBack handBack) {
        this.database = database;
        this.environment = environment;
        this.transactions = transactions;
        this.keys = keys;
        this.claims = claims;
        this.handBack = handBack;
        this.loop = new Loop("acceptor of " + keys.typeName(), environment, this::round);
    }

    CompletableFuture<Optional<Job<D>>> accept(AcceptOptions options) {
        Waiter<D> waiter = new Waiter<>(options, database.getExecutor());
        synchronized (waiters) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            waiters.add(waiter);
        }
        waiter.whenDone(() -> leave(waiter));
        waiter.startTimer(environment.scheduler());
        loop.poke();
        return waiter.result();
    }

    /** Fails all who still wait. Claims that were made for them are handed back. */
    @Override
    public void close() {
        List<Waiter<D>> left;
        synchronized (waiters) {
            closed = true;
            left = List.copyOf(waiters);
        }
        left.forEach(waiter -> waiter.fail(new CouchJobsClosedException()));
        loop.close();
    }

    private void leave(Waiter<D> waiter) {
        synchronized (waiters) {
            waiters.remove(waiter);
            if (waiters.isEmpty()) {
                loop.poke(); // lets go of the watch
            }
        }
    }

    private CompletableFuture<Pause> round() {
        Map<AcceptMode, Deque<Waiter<D>>> served = hungry();
        if (served.isEmpty()) {
            return CompletableFuture.completedFuture(Pause.untilPoked());
        }
        Map<AcceptMode, Claims.Tries> tries = new LinkedHashMap<>();
        served.keySet().forEach(mode -> tries.put(mode, new Claims.Tries()));
        TransactionContext context = database;
        return transactions
                .run(context, tx -> claim(tx, served, tries))
                .whenComplete((outcome, error) -> {
                    if (error != null) {
                        served.values().forEach(queue -> queue.forEach(waiter -> waiter.fail(error)));
                    }
                })
                .thenApply(outcome -> deliver(outcome, served));
    }

    /** Those who wait, first come first served, by what they want. */
    private Map<AcceptMode, Deque<Waiter<D>>> hungry() {
        Map<AcceptMode, Deque<Waiter<D>>> byMode = new LinkedHashMap<>();
        synchronized (waiters) {
            Iterator<Waiter<D>> all = waiters.iterator();
            for (int count = 0; count < JOBS_PER_ROUND_MAX && all.hasNext(); count++) {
                Waiter<D> waiter = all.next();
                byMode.computeIfAbsent(waiter.mode(), mode -> new ArrayDeque<>())
                        .add(waiter);
            }
        }
        return byMode;
    }

    /** What one transaction came to: jobs, or else a watch and the time of the next job. */
    private record Outcome<D>(
            Map<AcceptMode, List<Job<D>>> jobs, @Nullable CompletableFuture<?> watch, OptionalLong nextDue) {
        boolean isEmpty() {
            return jobs.values().stream().allMatch(List::isEmpty);
        }
    }

    private CompletableFuture<Outcome<D>> claim(
            Transaction tx, Map<AcceptMode, Deque<Waiter<D>>> served, Map<AcceptMode, Claims.Tries> tries) {
        Map<AcceptMode, CompletableFuture<List<Job<D>>>> taking = new LinkedHashMap<>();
        tries.forEach((mode, tried) -> {
            Deque<Waiter<D>> queue = served.getOrDefault(mode, new ArrayDeque<>());
            if (tried.isFirst()) {
                spread.undisturbed();
            } else {
                spread.conflicted(queue.size());
            }
            taking.put(mode, claims.take(tx, mode, queue.size(), spread.rows(), tried));
        });
        return CompletableFuture.allOf(taking.values().toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    Map<AcceptMode, List<Job<D>>> jobs = new LinkedHashMap<>();
                    taking.forEach((mode, taken) -> jobs.put(mode, taken.join()));
                    Outcome<D> claimed = new Outcome<>(jobs, null, OptionalLong.empty());
                    return claimed.isEmpty() ? watching(tx, jobs) : CompletableFuture.completedFuture(claimed);
                });
    }

    /** Only where nothing was claimed: a watch reads its key, and a claim beside it would conflict with every enqueue. */
    private CompletableFuture<Outcome<D>> watching(Transaction tx, Map<AcceptMode, List<Job<D>>> nothing) {
        CompletableFuture<Void> watch = tx.watch(keys.watchesPending());
        List<CompletableFuture<OptionalLong>> times = new ArrayList<>();
        nothing.keySet().forEach(mode -> times.add(claims.nextDue(tx, mode)));
        return CompletableFuture.allOf(times.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> new Outcome<>(
                        nothing,
                        watch,
                        times.stream()
                                .flatMapToLong(time -> time.join().stream())
                                .min()));
    }

    private Pause deliver(Outcome<D> outcome, Map<AcceptMode, Deque<Waiter<D>>> served) {
        outcome.jobs().forEach((mode, jobs) -> {
            Deque<Waiter<D>> queue = served.getOrDefault(mode, new ArrayDeque<>());
            for (Job<D> job : jobs) {
                Waiter<D> waiter = queue.poll();
                if (waiter == null) {
                    handBack.give(job);
                } else {
                    waiter.give(job, handBack);
                }
            }
        });
        served.values().forEach(queue -> queue.forEach(Waiter::nothingFound));
        if (outcome.watch() == null) {
            return Pause.none();
        }
        Pause pause = Pause.until(outcome.watch());
        return outcome.nextDue().isPresent()
                ? pause.butAtMost(untilDue(outcome.nextDue().getAsLong()))
                : pause;
    }

    private Duration untilDue(long scheduledTime) {
        Duration wait = Duration.between(environment.clock().instant(), Instant.ofEpochSecond(scheduledTime));
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(CLOCK_TRUSTED_FOR) < 0 ? wait : CLOCK_TRUSTED_FOR;
    }
}
