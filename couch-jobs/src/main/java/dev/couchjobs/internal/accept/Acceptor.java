package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
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
    private final JobClaimer<D> claimer;
    private final ClaimReleaser claimReleaser;
    private final String typeName;
    private final WatchLimit<Acceptor<?>> watches;
    private final BatchSize batch = new BatchSize(JOBS_PER_ROUND_MAX);
    private final Loop loop;

    @GuardedBy("itself") private final Set<ClaimRequest<D>> requests = new LinkedHashSet<>();

    @GuardedBy("requests") private boolean closed;

    /** Complete when a round has taken account of it that the last client is gone. */
    @GuardedBy("requests") private final List<CompletableFuture<?>> departures = new ArrayList<>();

    // Touched by one round at a time.
    private Leadership.Role role = Leadership.Role.NEW;

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
        this.claimer = new JobClaimer<>(type, instance);
        this.claimReleaser = new ClaimReleaser(instance);
        this.loop = new Loop("acceptor of " + type, environment, this::round);
    }

    String typeName() {
        return typeName;
    }

    /** It may watch no more, or there may be jobs. */
    void lookAgain() {
        loop.wakeUp();
    }

    CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type, AcceptOptions options) {
        AcceptCall<D> acceptCall = new AcceptCall<>(type, options, database.getExecutor());
        synchronized (requests) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            requests.add(acceptCall);
        }
        acceptCall.whenDone(() -> leave(acceptCall));
        acceptCall.startTimer(environment.scheduler());
        loop.wakeUp();
        return acceptCall.result();
    }

    /** Claims for a worker from now on, whenever it has room. */
    ClaimSubscription serve(ClaimConsumer<D> consumer, AcceptOptions options, Runnable onClose) {
        ConsumerRequest<D> client = new ConsumerRequest<>(consumer, ClaimCriteria.of(options), loop::wakeUp, left -> {
            CompletableFuture<?> departure = withdraw(left);
            onClose.run();
            return departure;
        });
        synchronized (requests) {
            if (closed) {
                throw new CouchJobsClosedException();
            }
            requests.add(client);
        }
        loop.wakeUp();
        return client;
    }

    /** Fails all who still wait. Claims that were made for them are handed back. */
    @Override
    public void close() {
        List<ClaimRequest<D>> left;
        List<CompletableFuture<?>> departed;
        synchronized (requests) {
            closed = true;
            left = List.copyOf(requests);
            departed = takeWithdrawals();
        }
        left.forEach(request -> request.fail(new CouchJobsClosedException()));
        loop.close();
        watches.leave(this);
        departed.forEach(departure -> departure.complete(null));
    }

    boolean isUnused() {
        synchronized (requests) {
            return requests.isEmpty() && departures.isEmpty();
        }
    }

    private void giveUpOn(ClaimRequest<D> request, Throwable error) {
        if (request.isServedAtOnce()) {
            leave(request);
        }
        request.fail(RootCauses.of(error));
    }

    /** Takes a client out before it is answered, so that no other round claims for it as well. */
    private void leave(ClaimRequest<D> request) {
        boolean last;
        synchronized (requests) {
            last = requests.remove(request) && requests.isEmpty();
        }
        if (last) {
            loop.wakeUp(); // releases the watch
        }
    }

    /** {@return what completes when this process watches for jobs no more, if a client was the last one that goes} */
    private CompletableFuture<?> withdraw(ClaimRequest<D> request) {
        leave(request);
        CompletableFuture<?> departure = new CompletableFuture<>();
        synchronized (requests) {
            if (closed || !requests.isEmpty()) {
                return CompletableFuture.completedFuture(request);
            }
            departures.add(departure);
        }
        loop.wakeUp();
        return departure;
    }

    /** A client that comes back is behind those that have come meanwhile. */
    private void served(ClaimRequest<D> request) {
        if (request.isServedAtOnce()) {
            leave(request);
            return;
        }
        synchronized (requests) {
            if (requests.remove(request)) {
                requests.add(request);
            }
        }
    }

    private CompletableFuture<Pause> round() {
        ClaimRound<D> claimRound = new ClaimRound<>();
        List<CompletableFuture<?>> departed;
        synchronized (requests) {
            requests.forEach(claimRound::ask);
            departed = takeWithdrawals();
        }
        return round(claimRound).whenComplete((pause, error) -> {
            claimRound.end();
            departed.forEach(departure -> departure.complete(null));
        });
    }

    @GuardedBy("requests") private List<CompletableFuture<?>> takeWithdrawals() {
        List<CompletableFuture<?>> taken = List.copyOf(departures);
        departures.clear();
        return taken;
    }

    private CompletableFuture<Pause> round(ClaimRound<D> claimRound) {
        if (claimRound.isEmpty()) {
            return leave();
        }
        restsUnused = false;
        boolean mayWatch = watches.mayWatch(this);
        return CompletableFuture.completedFuture(claimRound)
                .thenCompose(begun -> batch.run(tries -> claim(begun, mayWatch, tries))) // a closed database throws
                .whenComplete((claimResult, error) -> {
                    if (error != null) {
                        role = Leadership.Role.FOLLOWER; // perhaps: what it has tried may have committed
                        claimRound.requests().forEach(request -> giveUpOn(request, error));
                    }
                })
                .thenApply(claimResult -> {
                    role = claimResult.role();
                    claimResult.jobs().forEach((criteria, jobs) -> deliver(jobs, claimRound.of(criteria)));
                    claimResult.exhausted().forEach(criteria -> completeNonBlocking(claimRound.of(criteria)));
                    Pause pause = pause(claimResult);
                    return mayWatch || !watches.mustPoll(this) ? pause : pause.butAtMost(UNWATCHED_FOR);
                });
    }

    /** No client here takes jobs at present. */
    private CompletableFuture<Pause> leave() {
        watches.leave(this);
        if (role.isTaken()) {
            return transactions.run(database, tx -> claimer.leave(tx, role)).thenApply(left -> {
                role = left;
                return Pause.atMost(KEPT_UNUSED_FOR);
            });
        }
        if (restsUnused) {
            whenUnused.run();
        }
        restsUnused = true;
        return CompletableFuture.completedFuture(Pause.atMost(KEPT_UNUSED_FOR));
    }

    private CompletableFuture<ClaimResult<D>> claim(ClaimRound<D> claimRound, boolean mayWatch, BatchSize.Tries tries) {
        JobClaimer<D>.ClaimTransaction claimTransaction =
                claimer.new ClaimTransaction(claimRound.wanted(tries.first()), role, mayWatch);
        return transactions.run(database, claimTransaction.earlierTries(), tx -> claimTransaction.runTry(tx, tries));
    }

    /** Takes out the clients that are given something: those left in the round have got nothing. */
    private void deliver(List<GrantedClaim<D>> jobs, List<ClaimRound.Allotment<D>> allotments) {
        int given = 0;
        Iterator<ClaimRound.Allotment<D>> unserved = allotments.iterator();
        while (given < jobs.size() && unserved.hasNext()) {
            ClaimRound.Allotment<D> allotment = unserved.next();
            unserved.remove();
            List<GrantedClaim<D>> share = jobs.subList(given, Math.min(jobs.size(), given + allotment.wanted()));
            given += share.size();
            served(allotment.request());
            allotment.request().give(share, claimReleaser);
        }
    }

    /** Answers the calls that wanted one look at the queue: nothing is left for them. */
    private void completeNonBlocking(List<ClaimRound.Allotment<D>> allotments) {
        allotments.stream()
                .map(ClaimRound.Allotment::request)
                .filter(ClaimRequest::leavesWithNothing)
                .forEach(request -> {
                    leave(request);
                    request.leave();
                });
    }

    private Pause pause(ClaimResult<D> claimResult) {
        if (claimResult.watch().isEmpty()) {
            return Pause.none();
        }
        Pause pause = Pause.until(claimResult.watch().get());
        return claimResult.nextDue().isPresent()
                ? pause.butAtMost(untilDue(claimResult.nextDue().getAsLong()))
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
