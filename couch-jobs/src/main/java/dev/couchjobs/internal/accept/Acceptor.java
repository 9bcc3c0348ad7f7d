package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.RepeatedCallException;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.idle.Leadership;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.monitor.BackgroundServices;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Observers;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs of one type for all requests in this process.
 *
 * <p>An acceptor works in rounds. A round claims jobs for all requests in one transaction. If there is no job to claim,
 * the same transaction arms a watch on the key that every enqueue changes, so no wake-up is lost between the read of
 * the queue and the watch. The next round begins when the watch fires, when the next scheduled job is due, or when a
 * request is added. Without requests, an acceptor claims nothing.
 */
final class Acceptor<D> implements AutoCloseable {
    static final int JOBS_PER_ROUND_MAX = 100;
    /** How long an acceptor is kept without demand, because it has learnt where to claim in the queue. */
    private static final Duration UNUSED_TIMEOUT = Duration.ofMinutes(1);

    /** The poll interval of a type in use that this process may not watch. */
    private static final Duration UNWATCHED_POLL_INTERVAL = Duration.ofSeconds(1);

    private final Database database;
    private final Observers<JobsListener> listeners;
    private final Environment environment;
    private final InstantSource clock;
    private final Transactions transactions;
    private final AcceptCall.Accepting accepting;
    private final WatchLooks looks;
    private final ClaimParts<D> claimParts;
    private final ClaimReleaser claimReleaser;
    private final String typeName;
    private final BackgroundServices services;
    private final WatchLimit<Acceptor<?>> watchLimit;
    private final BatchSize batchSize = new BatchSize(JOBS_PER_ROUND_MAX);
    private final Loop loop;

    @GuardedBy("itself") private final Set<ClaimRequest<D>> requests = new LinkedHashSet<>();

    @GuardedBy("requests") private boolean closed;

    /** Closes of the last request, each of which completes when a round has found no request. */
    @GuardedBy("requests") private final List<CompletableFuture<?>> pendingCloses = new ArrayList<>();

    // Accessed by one round at a time.
    private Leadership.Role role = Leadership.Role.NEW;

    /** The last try of a claim, if it was made in an exchange and has failed. */
    private Optional<ClaimTry<D>> failedInExchange = Optional.empty();

    /** Whether the last claim has conflicted: the next one is made in a transaction of its own. */
    private boolean hasConflicted;

    /** Whether the pause of the loop ends when there may be jobs. */
    private boolean awaitsJobs;

    /** Whether the last round had no demand and no role to resign. */
    private boolean wasUnused;

    private final Runnable onUnused;

    /**
     * @param services monitor the type
     * @param watchLimit decides whether this acceptor may watch for new jobs
     * @param turns of the calls of all acceptors
     * @param onUnused runs when there was no demand for a while
     */
    Acceptor(
            JobType<D, ?> type,
            Instance instance,
            BackgroundServices services,
            WatchLimit<Acceptor<?>> watchLimit,
            CallTurns turns,
            Runnable onUnused) {
        this.typeName = type.name();
        this.services = services;
        this.watchLimit = watchLimit;
        this.onUnused = onUnused;
        this.database = instance.database();
        this.listeners = instance.listeners();
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.transactions = instance.transactions().named("accept", type.name());
        this.looks = instance.looks();
        this.claimParts = new ClaimParts<>(type, instance);
        this.claimReleaser = new ClaimReleaser(instance);
        this.loop = new Loop("acceptor of " + type, environment, this::round);
        this.accepting = new AcceptCall.Accepting(instance.executor(), turns, loop::wakeUp);
        var unused = loop.ended().thenRun(this::close); // with its database: no round answers a request any more
    }

    String typeName() {
        return typeName;
    }

    /** Starts a round at once, because this acceptor may no longer watch, or there may be jobs. */
    void wakeUp() {
        loop.wakeUp();
    }

    CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type, AcceptOptions options) {
        return add(AcceptCall.forOne(type, options, accepting));
    }

    CompletableFuture<List<Job<D>>> accept(JobType<D, ?> type, int max, AcceptOptions options) {
        return add(AcceptCall.forSeveral(type, max, options, accepting));
    }

    private <R> CompletableFuture<R> add(AcceptCall<D, R> acceptCall) {
        synchronized (requests) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            requests.add(acceptCall);
        }
        acceptCall.whenDone(() -> remove(acceptCall));
        acceptCall.startTimer(environment.scheduler());
        loop.wakeUp();
        return acceptCall.result();
    }

    /** Claims jobs for a consumer whenever it demands some, until the subscription is closed. */
    ClaimSubscription serve(ClaimConsumer<D> consumer, AcceptOptions options, Runnable onClose) {
        ConsumerRequest<D> request =
                new ConsumerRequest<>(consumer, ClaimCriteria.of(options), loop::wakeUp, this::join, closedRequest -> {
                    CompletableFuture<?> pendingClose = closeRequest(closedRequest);
                    onClose.run();
                    return pendingClose;
                });
        synchronized (requests) {
            if (closed) {
                throw new CouchJobsClosedException();
            }
            requests.add(request);
        }
        loop.wakeUp();
        return request;
    }

    /** Fails all requests. Jobs that have been claimed for them are released. */
    @Override
    public void close() {
        List<ClaimRequest<D>> openRequests;
        List<CompletableFuture<?>> closes;
        synchronized (requests) {
            closed = true;
            openRequests = List.copyOf(requests);
            closes = drainPendingCloses();
        }
        openRequests.forEach(request -> request.fail(new CouchJobsClosedException()));
        loop.close();
        watchLimit.remove(this);
        closes.forEach(pendingClose -> pendingClose.complete(null));
    }

    boolean isUnused() {
        synchronized (requests) {
            return requests.isEmpty() && pendingCloses.isEmpty();
        }
    }

    private void fail(ClaimRequest<D> request, Throwable error) {
        if (request.isOneShot()) {
            remove(request);
        }
        request.fail(RootCauses.of(error));
    }

    /** Removes a request. It is removed before it is completed, so that the next round does not claim for it. */
    private void remove(ClaimRequest<D> request) {
        boolean wasLast;
        synchronized (requests) {
            wasLast = requests.remove(request) && requests.isEmpty();
        }
        if (wasLast) {
            loop.wakeUp(); // the next round removes the watch
        }
    }

    /**
     * Removes a request.
     *
     * @return a future that completes at once or, if there is no other request, when this process no longer watches for
     *     new jobs
     */
    private CompletableFuture<?> closeRequest(ClaimRequest<D> request) {
        remove(request);
        CompletableFuture<?> pendingClose = new CompletableFuture<>();
        synchronized (requests) {
            if (closed || !requests.isEmpty()) {
                return CompletableFuture.completedFuture(request);
            }
            pendingCloses.add(pendingClose);
        }
        loop.wakeUp();
        return pendingClose;
    }

    /** Removes a request that has been served or, unless it is one-shot, moves it behind all others. */
    private void removeOrRequeue(ClaimRequest<D> request) {
        if (request.isOneShot()) {
            remove(request);
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
        List<CompletableFuture<?>> closes;
        synchronized (requests) {
            requests.forEach(claimRound::add);
            closes = drainPendingCloses();
        }
        return CompletableFuture.completedFuture(claimRound)
                .thenCompose(this::round) // within the chain, because this throws if the database is closed
                .whenComplete((pause, error) -> {
                    claimRound.end();
                    closes.forEach(pendingClose -> pendingClose.complete(null));
                });
    }

    @GuardedBy("requests") private List<CompletableFuture<?>> drainPendingCloses() {
        List<CompletableFuture<?>> drained = List.copyOf(pendingCloses);
        pendingCloses.clear();
        return drained;
    }

    private CompletableFuture<Pause> round(ClaimRound<D> claimRound) {
        if (claimRound.isEmpty()) {
            return roundWithoutDemand();
        }
        wasUnused = false;
        boolean mayWatch = watchLimit.mayWatch(this);
        boolean hasLed = role == Leadership.Role.LEADER;
        return CompletableFuture.completedFuture(claimRound)
                // within the chain, whose end fails the requests
                .thenCompose(unused -> batchSize.run(tries -> claim(claimRound, mayWatch, tries)))
                .whenComplete((claimResult, error) -> {
                    if (error != null) {
                        role = Leadership.Role.FOLLOWER; // the failed claim may have registered this process
                        claimRound.requestsWithDemand().forEach(request -> fail(request, error));
                    }
                })
                .thenApply(claimResult -> {
                    return committed(claimRound, claimResult, hasLed, mayWatch);
                });
    }

    /** A claim has committed. {@return the pause that follows it} */
    private Pause committed(ClaimRound<D> claimRound, ClaimResult<D> claimResult, boolean hasLed, boolean mayWatch) {
        changeRole(claimResult.role(), hasLed && !claimResult.isEmpty());
        report(claimResult);
        claimRound.remove(claimResult.refused()).forEach(request -> fail(request, repeated(request)));
        claimResult.jobs().forEach((criteria, jobs) -> deliver(jobs, claimRound.allotments(criteria)));
        claimResult.exhausted().forEach(criteria -> completeNonBlocking(claimRound.allotments(criteria)));
        Pause pause = pauseAfter(claimResult);
        return mayWatch || !watchLimit.mustPoll(this) ? pause : pause.cappedAt(UNWATCHED_POLL_INTERVAL);
    }

    /** {@return the next claim, to be made in an exchange} Calls of {@code accept} are served by rounds only. */
    private Optional<JoiningClaim> join() {
        if (!loop.hold()) {
            return Optional.empty();
        }
        ClaimRound<D> claimRound = new ClaimRound<>();
        synchronized (requests) {
            if (!closed && !hasConflicted && requests.stream().noneMatch(ClaimRequest::isOneShot)) {
                requests.forEach(claimRound::add);
            }
        }
        if (claimRound.isEmpty()) {
            claimRound.end();
            loop.release(Optional.empty());
            return Optional.empty();
        }
        wasUnused = false;
        return Optional.of(new Joining(claimRound, watchLimit.mayWatch(this)));
    }

    private final class Joining implements JoiningClaim {
        private final ClaimRound<D> claimRound;
        private final boolean mayWatch;
        private final ClaimDemand demand;
        private final AtomicBoolean hasEnded = new AtomicBoolean();
        private volatile Optional<ClaimTry<D>> lastTry = Optional.empty();
        private volatile @Nullable ClaimResult<D> result;

        Joining(ClaimRound<D> claimRound, boolean mayWatch) {
            this.claimRound = claimRound;
            this.mayWatch = mayWatch;
            this.demand = claimRound.demand(batchSize.now(), mayWatch);
        }

        @Override
        public TypeKeys keys() {
            return claimParts.keys;
        }

        @Override
        public int demand() {
            return demand.total();
        }

        @Override
        public CompletableFuture<?> claim(JobStore jobs, Set<JobRef> ended) {
            claimParts.beginClaim(environment.clock().instant());
            ClaimTry.Joined joined = new ClaimTry.Joined(ended, awaitsJobs);
            TriedClaims<D> tried = new TriedClaims<>(claimParts, jobs.token().orElseThrow());
            ClaimTry<D> next =
                    new ClaimTry<>(claimParts, demand, role, tried, 0, false, Optional.of(joined), jobs.tx());
            lastTry = Optional.of(next);
            return next.claim().thenAccept(claimed -> result = claimed);
        }

        /** Without a job and a watch the acceptor waits as before, or claims again at once. */
        @Override
        public void committed() {
            if (hasEnded.getAndSet(true)) {
                return;
            }
            ClaimResult<D> claimed = Objects.requireNonNull(result);
            Optional<Pause> next = Optional.empty();
            try {
                if (!claimed.isEmpty() || !claimed.rest().isAtOnce()) {
                    next = Optional.of(
                            Acceptor.this.committed(claimRound, claimed, role == Leadership.Role.LEADER, mayWatch));
                } else if (!awaitsJobs || claimed.exhausted().isEmpty()) {
                    loop.wakeUp();
                }
            } finally {
                end(next);
            }
        }

        @Override
        public void abandon() {
            if (hasEnded.getAndSet(true)) {
                return;
            }
            hasConflicted = true;
            failedInExchange = lastTry;
            loop.wakeUp();
            end(Optional.empty());
        }

        private void end(Optional<Pause> next) {
            claimRound.end();
            loop.release(next);
        }
    }

    /** @param hasClaimed whether this process has led, and has claimed jobs */
    private void changeRole(Leadership.Role next, boolean hasClaimed) {
        role = next;
        services.claimed(typeName, hasClaimed, next == Leadership.Role.LEADER);
    }

    private void report(ClaimResult<D> claimResult) {
        if (listeners.isEmpty() || claimResult.isEmpty()) {
            return;
        }
        int jobs = claimResult.jobs().values().stream().mapToInt(List::size).sum();
        JobsListener.Claimed event = new JobsListener.Claimed(typeName, jobs);
        listeners.report("claimed", listener -> listener.claimed(event));
    }

    private CompletableFuture<Pause> roundWithoutDemand() {
        awaitsJobs = false;
        watchLimit.remove(this);
        if (role.isRegistered()) {
            return transactions.run(database, tx -> claimParts.resign(tx, role)).thenApply(newRole -> {
                changeRole(newRole, false);
                return Pause.atMost(UNUSED_TIMEOUT);
            });
        }
        if (wasUnused) {
            onUnused.run();
        }
        wasUnused = true;
        return CompletableFuture.completedFuture(Pause.atMost(UNUSED_TIMEOUT));
    }

    private CompletableFuture<ClaimResult<D>> claim(ClaimRound<D> claimRound, boolean mayWatch, BatchSize.Tries tries) {
        ClaimTransaction<D> claim =
                new ClaimTransaction<>(claimParts, claimRound.demand(tries.first(), mayWatch), role, failedInExchange);
        failedInExchange = Optional.empty();
        return transactions
                .run(database, claim.earlierTries(), tx -> claim.runTry(tx, tries))
                .whenComplete((claimed, error) -> hasConflicted = tries.isRetry());
    }

    /** Delivers jobs in the order of the allotments, and removes the allotments that receive some. */
    private void deliver(List<GrantedClaim<D>> jobs, List<ClaimRound.Allotment<D>> allotments) {
        int delivered = 0;
        Iterator<ClaimRound.Allotment<D>> unserved = allotments.iterator();
        while (delivered < jobs.size() && unserved.hasNext()) {
            ClaimRound.Allotment<D> allotment = unserved.next();
            unserved.remove();
            List<GrantedClaim<D>> share =
                    jobs.subList(delivered, Math.min(jobs.size(), delivered + allotment.demand()));
            delivered += share.size();
            removeOrRequeue(allotment.request());
            allotment.request().deliver(share, claimParts.memory.prefetchMax, claimReleaser);
        }
    }

    /** Completes the non-blocking requests for which there was no job. */
    private void completeNonBlocking(List<ClaimRound.Allotment<D>> unserved) {
        unserved.stream()
                .map(ClaimRound.Allotment::request)
                .filter(ClaimRequest::isNonBlocking)
                .forEach(request -> {
                    remove(request);
                    request.completeEmpty();
                });
    }

    private static RepeatedCallException repeated(ClaimRequest<?> refused) {
        return new RepeatedCallException(refused.callRow().map(CallRow::call).orElseThrow());
    }

    private Pause pauseAfter(ClaimResult<D> claimResult) {
        Rest rest = claimResult.rest();
        awaitsJobs = !rest.isAtOnce();
        if (rest.isAtOnce()) {
            return Pause.none();
        }
        CompletableFuture<Void> watch = looks.awaitFirst(rest.watches());
        Pause pause = Pause.until(
                rest.nextDue().isPresent()
                        ? Pause.firstOf(
                                watch,
                                DueTime.reached(
                                        environment,
                                        clock,
                                        Instant.ofEpochSecond(rest.nextDue().getAsLong())))
                        : watch);
        return rest.pauseMax().map(pause::cappedAt).orElse(pause);
    }
}
