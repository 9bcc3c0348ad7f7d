package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Serves all who wait in this process for jobs of one type.
 *
 * <p>It works in rounds. A round claims jobs for everybody who waits, in one transaction. If there is nothing to claim,
 * that same transaction arms a watch on the key that every enqueue changes, so no wake-up is lost between looking and
 * watching, and the next round begins when the watch fires, when the next scheduled job is due, or when somebody new
 * comes. While nobody waits there are no rounds.
 */
final class Acceptor<D> implements AutoCloseable {
    private static final int JOBS_PER_ROUND_MAX = 100;
    /** The wall clock may be set; a job that is due is found this late at most. */
    private static final Duration CLOCK_TRUSTED_FOR = Duration.ofSeconds(30);

    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final Claims<D> claims;
    private final HandBack handBack;
    private final Loop loop;

    private final Set<Waiter<D>> waiters = new LinkedHashSet<>(); // guarded by itself
    private boolean closed; // guarded by waiters

    Acceptor(JobType<D, ?> type, Instance instance) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = instance.transactions();
        this.claims = new Claims<>(type, instance);
        this.handBack = new HandBack(instance);
        this.loop = new Loop("acceptor of " + type, environment, this::round);
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

    private void giveUpOn(Waiter<D> waiter, Throwable error) {
        leave(waiter);
        waiter.fail(error instanceof CompletionException && error.getCause() != null ? error.getCause() : error);
    }

    /** Takes a waiter out before it is answered, so that no other round claims for it as well. */
    private void leave(Waiter<D> waiter) {
        boolean last;
        synchronized (waiters) {
            last = waiters.remove(waiter) && waiters.isEmpty();
        }
        if (last) {
            loop.poke(); // lets go of the watch
        }
    }

    private CompletableFuture<Pause> round() {
        Map<AcceptMode, Deque<Waiter<D>>> served = hungry();
        if (served.isEmpty()) {
            return CompletableFuture.completedFuture(Pause.untilPoked());
        }
        Map<AcceptMode, Integer> wanted = new LinkedHashMap<>();
        int share = Math.max(1, JOBS_PER_ROUND_MAX / served.size());
        served.forEach((mode, queue) -> wanted.put(mode, Math.min(queue.size(), share)));
        Claims<D>.Claim claim = claims.new Claim(wanted);
        return transactions
                .run(database, claim::attempt)
                .whenComplete((outcome, error) -> {
                    if (error != null) {
                        served.values().forEach(queue -> queue.forEach(waiter -> giveUpOn(waiter, error)));
                    }
                })
                .thenApply(outcome -> {
                    outcome.jobs()
                            .forEach((mode, jobs) -> deliver(jobs, served.getOrDefault(mode, new ArrayDeque<>())));
                    outcome.exhausted()
                            .forEach(mode -> dismissImpatient(served.getOrDefault(mode, new ArrayDeque<>())));
                    return pause(outcome);
                });
    }

    /** Those who wait, first come first served, by what they want. */
    private Map<AcceptMode, Deque<Waiter<D>>> hungry() {
        Map<AcceptMode, Deque<Waiter<D>>> byMode = new LinkedHashMap<>();
        synchronized (waiters) {
            waiters.forEach(waiter -> byMode.computeIfAbsent(waiter.mode(), mode -> new ArrayDeque<>())
                    .add(waiter));
        }
        return byMode;
    }

    private void deliver(List<Job<D>> jobs, Deque<Waiter<D>> queue) {
        for (Job<D> job : jobs) {
            Waiter<D> waiter = queue.poll();
            if (waiter == null) {
                handBack.give(job);
            } else {
                leave(waiter);
                waiter.give(job, handBack);
            }
        }
    }

    /** Tells those who wanted one look at the queue that there is nothing left for them. */
    private void dismissImpatient(Deque<Waiter<D>> queue) {
        queue.stream().filter(Waiter::isImpatient).forEach(waiter -> {
            leave(waiter);
            waiter.answerNothing();
        });
    }

    private Pause pause(Claims.Outcome<D> outcome) {
        if (outcome.watch().isEmpty()) {
            return Pause.none();
        }
        Pause pause = Pause.until(outcome.watch().get());
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
