package dev.couchjobs.internal.accept;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.monitor.BackgroundServices;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The acceptors of one instance, one for each job type. A process that accepts jobs of a type also monitors it. */
public final class Acceptors implements AutoCloseable {
    /** Each type needs up to two of the 10,000 watches of a FoundationDB client. */
    private static final int TYPES_WATCHED_MAX = 1_000;

    private final Instance instance;
    private final BackgroundServices services;
    private final WatchLimit<Acceptor<?>> watches;
    private final CallTurns turns = new CallTurns();
    private final ServiceRegistry<JobType<?, ?>, Acceptor<?>> acceptors = new ServiceRegistry<>(Acceptor::close);

    public Acceptors(Instance instance, BackgroundServices services) {
        this(instance, services, TYPES_WATCHED_MAX);
    }

    /** @param typesWatchedMax for how many types this process may watch for new jobs */
    Acceptors(Instance instance, BackgroundServices services, int typesWatchedMax) {
        this.instance = instance;
        this.services = services;
        this.watches =
                new WatchLimit<>(typesWatchedMax, acceptor -> services.isInUse(acceptor.typeName()), Acceptor::wakeUp);
        services.afterEachLeaseRead(watches::wakeInUse);
        services.looksAtNewTypesIf(watches::isReached);
    }

    /** {@return a claimed job, or empty after the timeout} */
    public <D> CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type, AcceptOptions options) {
        return accept(type, acceptor -> acceptor.accept(type, options));
    }

    /** {@return claimed jobs, or none after the timeout} */
    public <D> CompletableFuture<List<Job<D>>> accept(JobType<D, ?> type, int max, AcceptOptions options) {
        if (max < 1 || max > Acceptor.JOBS_PER_ROUND_MAX) {
            throw new IllegalArgumentException(
                    "One call claims 1 to " + Acceptor.JOBS_PER_ROUND_MAX + " jobs; this asks for " + max + ".");
        }
        return accept(type, acceptor -> acceptor.accept(type, max, options));
    }

    private <D, R> CompletableFuture<R> accept(
            JobType<D, ?> type, Function<Acceptor<D>, CompletableFuture<R>> acceptCall) {
        try {
            services.monitor(type);
            synchronized (this) {
                return acceptCall.apply(acceptor(type));
            }
        } catch (CouchJobsClosedException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Claims jobs for a worker whenever it demands some, until the subscription is closed.
     *
     * @throws IllegalArgumentException if another worker has a different retry policy, retention or bound of releases
     */
    public <D> ClaimSubscription serve(JobType<D, ?> type, ClaimConsumer<D> consumer, AcceptOptions options) {
        services.workerBegins(type);
        try {
            synchronized (this) {
                return acceptor(type).serve(consumer, options, () -> services.workerEnds(type));
            }
        } catch (RuntimeException e) {
            services.workerEnds(type);
            throw e;
        }
    }

    /** Says whether a type is served by a large fleet, as a worker has counted (rfc/018). */
    public void inLargeFleet(String typeName, boolean isLarge) {
        services.inLargeFleet(typeName, isLarge);
    }

    @SuppressWarnings("unchecked") // the key of an acceptor is a job type with the same data type
    private <D> Acceptor<D> acceptor(JobType<D, ?> type) {
        return (Acceptor<D>) acceptors.get(type, unused -> create(type));
    }

    private <D> Acceptor<D> create(JobType<D, ?> type) {
        return new Acceptor<>(type, instance, services, watches, turns, () -> closeIfUnused(type));
    }

    /** Closes an unused acceptor. Requests are added with the same lock held, so none is added to a closed one. */
    private synchronized void closeIfUnused(JobType<?, ?> type) {
        if (acceptors.ifPresent(type).filter(Acceptor::isUnused).isPresent()) {
            acceptors.release(type);
        }
    }

    int count() {
        return acceptors.count();
    }

    @Override
    public void close() {
        acceptors.close();
    }
}
