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
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Serves all who wait in this process for jobs of one type.
 *
 * <p>It works in rounds. A round claims jobs for all clients that wait, in one transaction. If there is nothing to
 * claim, that same transaction arms a watch on the key that every enqueue changes, so no wake-up is lost between
 * looking and watching, and the next round begins when the watch fires, when the next scheduled job is due, or when a
 * new client comes. While no client waits there are no rounds.
 */
final class Acceptor<D> implements AutoCloseable {
    private static final int JOBS_PER_ROUND_MAX = 100;
    /** The wall clock may be set; a job that is due is found this late at most. */
    private static final Duration CLOCK_TRUSTED_FOR = Duration.ofSeconds(30);
    /** Callers of {@code accept} that come one after the other are to find what was learnt of the queue. */
    private static final Duration KEPT_UNUSED_FOR = Duration.ofMinutes(1);

    /** How late a job of a type in use may be noticed when more types in use are waited for than are watched. */
    private static final Duration UNWATCHED_FOR = Duration.ofSeconds(1);

    private final Database database;
    private final Environment environment;
    private final InstantSource clock;
    private final Transactions transactions;
    private final Claims<D> claims;
    private final HandBack handBack;
    private final String typeName;
    private final WatchLimit<Acceptor<?>> watches;
    private final BatchSize batch = new BatchSize(JOBS_PER_ROUND_MAX);
    private final Loop loop;

    private final Set<Client<D>> clients = new LinkedHashSet<>(); // guarded by itself
    private boolean closed; // guarded by clients
    /** Complete when a round has taken account of it that the last client is gone. */
    private final List<CompletableFuture<?>> departures = new ArrayList<>(); // guarded by clients

    // Touched by one round at a time.
    private Leadership.Place place = Leadership.Place.NEW;

    private boolean restsUnused;
    private final Runnable whenUnused;

    /**
     * Has no clients yet.
     *
     * @param watches says whether it may watch for new jobs
     * @param whenUnused runs when it has had no client for a while
     */
    Acceptor(JobType<D, ?> type, Instance instance, WatchLimit<Acceptor<?>> watches, Runnable whenUnused) {
        this.typeName = type.name();
        this.watches = watches;
        this.whenUnused = whenUnused;
        this.database = instance.database();
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.transactions = instance.transactions().named("accept", type.name());
        this.claims = new Claims<>(type, instance);
        this.handBack = new HandBack(instance);
        this.loop = new Loop("acceptor of " + type, environment, this::round);
    }

    String typeName() {
        return typeName;
    }

    /** It may watch no more, or there may be jobs. */
    void lookAgain() {
        loop.poke();
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
            CompletableFuture<?> departure = depart(left);
            onClose.run();
            return departure;
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
        List<CompletableFuture<?>> departed;
        synchronized (clients) {
            closed = true;
            left = List.copyOf(clients);
            departed = takeDepartures();
        }
        left.forEach(client -> client.fail(new CouchJobsClosedException()));
        loop.close();
        watches.leave(this);
        departed.forEach(departure -> departure.complete(null));
    }

    boolean isUnused() {
        synchronized (clients) {
            return clients.isEmpty() && departures.isEmpty();
        }
    }

    private void giveUpOn(Client<D> client, Throwable error) {
        if (client.isServedAtOnce()) {
            leave(client);
        }
        client.fail(Causes.of(error));
    }

    /** Takes a client out before it is answered, so that no other round claims for it as well. */
    private void leave(Client<D> client) {
        boolean last;
        synchronized (clients) {
            last = clients.remove(client) && clients.isEmpty();
        }
        if (last) {
            loop.poke(); // lets go of the watch
        }
    }

    /** {@return what completes when this process watches for jobs no more, if a client was the last one that goes} */
    private CompletableFuture<?> depart(Client<D> client) {
        leave(client);
        CompletableFuture<?> departure = new CompletableFuture<>();
        synchronized (clients) {
            if (closed || !clients.isEmpty()) {
                return CompletableFuture.completedFuture(client);
            }
            departures.add(departure);
        }
        loop.poke();
        return departure;
    }

    /** A client that comes back is behind those that have come meanwhile. */
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
        List<CompletableFuture<?>> departed;
        synchronized (clients) {
            clients.forEach(round::ask);
            departed = takeDepartures();
        }
        return round(round).whenComplete((pause, error) -> {
            round.end();
            departed.forEach(departure -> departure.complete(null));
        });
    }

    private List<CompletableFuture<?>> takeDepartures() {
        List<CompletableFuture<?>> taken = List.copyOf(departures);
        departures.clear();
        return taken;
    }

    private CompletableFuture<Pause> round(Round<D> round) {
        if (round.isEmpty()) {
            return leave();
        }
        restsUnused = false;
        boolean mayWatch = watches.mayWatch(this);
        return CompletableFuture.completedFuture(round)
                .thenCompose(begun -> batch.run(tries -> claim(begun, mayWatch, tries))) // a closed database throws
                .whenComplete((outcome, error) -> {
                    if (error != null) {
                        place = Leadership.Place.FOLLOWER; // perhaps: what it has tried may have committed
                        round.clients().forEach(client -> giveUpOn(client, error));
                    }
                })
                .thenApply(outcome -> {
                    place = outcome.place();
                    outcome.jobs().forEach((mode, jobs) -> deliver(jobs, round.of(mode)));
                    outcome.exhausted().forEach(mode -> dismissImpatient(round.of(mode)));
                    Pause pause = pause(outcome);
                    return mayWatch || !watches.isToAskAgain(this) ? pause : pause.butAtMost(UNWATCHED_FOR);
                });
    }

    /** No client here takes jobs at present. */
    private CompletableFuture<Pause> leave() {
        watches.leave(this);
        if (place.isTaken()) {
            return transactions.run(database, tx -> claims.leave(tx, place)).thenApply(left -> {
                place = left;
                return Pause.atMost(KEPT_UNUSED_FOR);
            });
        }
        if (restsUnused) {
            whenUnused.run();
        }
        restsUnused = true;
        return CompletableFuture.completedFuture(Pause.atMost(KEPT_UNUSED_FOR));
    }

    private CompletableFuture<Claims.Outcome<D>> claim(Round<D> round, boolean mayWatch, BatchSize.Tries tries) {
        Claims<D>.Claim claim = claims.new Claim(round.wanted(tries.first()), place, mayWatch);
        return transactions.run(database, claim.earlierTries(), tx -> claim.attempt(tx, tries));
    }

    /** Takes out the clients that are given something: those left in the round have got nothing. */
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
        Duration wait = Duration.between(clock.instant(), Instant.ofEpochSecond(scheduledTime));
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(CLOCK_TRUSTED_FOR) < 0 ? wait : CLOCK_TRUSTED_FOR;
    }
}
