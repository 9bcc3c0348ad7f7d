package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.Causes;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

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
    private final BatchSize batch = new BatchSize(JOBS_PER_ROUND_MAX);
    private final Loop loop;

    private final Set<Client<D>> clients = new LinkedHashSet<>(); // guarded by itself
    private boolean closed; // guarded by clients

    Acceptor(JobType<D, ?> type, Instance instance) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = instance.transactions().named("accept", type.name());
        this.claims = new Claims<>(type, instance);
        this.handBack = new HandBack(instance);
        this.loop = new Loop("acceptor of " + type, environment, this::round);
    }

    CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type, AcceptOptions options) {
        Waiter<D> waiter = new Waiter<>(type, options, database.getExecutor());
        synchronized (clients) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            clients.add(waiter);
        }
        waiter.whenDone(() -> leave(waiter));
        waiter.startTimer(environment.scheduler());
        loop.poke();
        return waiter.result();
    }

    /** Claims for a worker from now on, whenever it has room. */
    Intake serve(Taker<D> taker, AcceptOptions options, Runnable onClose) {
        TakerClient<D> client = new TakerClient<>(taker, AcceptMode.of(options), loop::poke, left -> {
            leave(left);
            onClose.run();
        });
        synchronized (clients) {
            if (closed) {
                throw new CouchJobsClosedException();
            }
            clients.add(client);
        }
        loop.poke();
        return client;
    }

    /** Fails all who still wait. Claims that were made for them are handed back. */
    @Override
    public void close() {
        List<Client<D>> left;
        synchronized (clients) {
            closed = true;
            left = List.copyOf(clients);
        }
        left.forEach(client -> client.fail(new CouchJobsClosedException()));
        loop.close();
    }

    private void giveUpOn(Client<D> client, Throwable error) {
        if (client.isServedAtOnce()) {
            leave(client);
        }
        client.fail(Causes.of(error));
    }

    /** Takes somebody out before he is answered, so that no other round claims for him as well. */
    private void leave(Client<D> client) {
        boolean last;
        synchronized (clients) {
            last = clients.remove(client) && clients.isEmpty();
        }
        if (last) {
            loop.poke(); // lets go of the watch
        }
    }

    /** Whoever comes back takes his turn behind those who have come meanwhile. */
    private void served(Client<D> client) {
        if (client.isServedAtOnce()) {
            leave(client);
            return;
        }
        synchronized (clients) {
            if (clients.remove(client)) {
                clients.add(client);
            }
        }
    }

    private CompletableFuture<Pause> round() {
        Round<D> round = new Round<>();
        synchronized (clients) {
            clients.forEach(round::ask);
        }
        if (round.isEmpty()) {
            round.end();
            return CompletableFuture.completedFuture(Pause.untilPoked());
        }
        return CompletableFuture.completedFuture(round)
                .thenCompose(begun -> batch.run(tries -> claim(begun, tries))) // a closed database throws
                .whenComplete((outcome, error) -> {
                    if (error != null) {
                        round.clients().forEach(client -> giveUpOn(client, error));
                    }
                })
                .thenApply(outcome -> {
                    outcome.jobs().forEach((mode, jobs) -> deliver(jobs, round.of(mode)));
                    outcome.exhausted().forEach(mode -> dismissImpatient(round.of(mode)));
                    return pause(outcome);
                })
                .whenComplete((pause, error) -> round.end());
    }

    private CompletableFuture<Claims.Outcome<D>> claim(Round<D> round, BatchSize.Tries tries) {
        Claims<D>.Claim claim = claims.new Claim(round.wanted(tries.first()));
        return transactions.run(database, tx -> claim.attempt(tx, tries));
    }

    /** Takes those out who are given something: whoever is left in the round has got nothing. */
    private void deliver(List<Claimed<D>> jobs, List<Round.Order<D>> orders) {
        int given = 0;
        Iterator<Round.Order<D>> unserved = orders.iterator();
        while (given < jobs.size() && unserved.hasNext()) {
            Round.Order<D> order = unserved.next();
            unserved.remove();
            List<Claimed<D>> share = jobs.subList(given, Math.min(jobs.size(), given + order.wanted()));
            given += share.size();
            served(order.client());
            order.client().give(share, handBack);
        }
    }

    /** Tells those who wanted one look at the queue that there is nothing left for them. */
    private void dismissImpatient(List<Round.Order<D>> orders) {
        orders.stream()
                .map(Round.Order::client)
                .filter(Client::leavesWithNothing)
                .forEach(client -> {
                    leave(client);
                    client.leave();
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
