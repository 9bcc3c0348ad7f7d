package dev.couchjobs.internal.accept;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.monitor.ActivityMonitors;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The acceptors of one instance, one for each job type; who accepts jobs also watches over them. */
public final class Acceptors implements AutoCloseable {
    /** Of the 10,000 watches that a client may have each takes up to two. */
    private static final int TYPES_WATCHED_MAX = 1_000;

    private final Instance instance;
    private final ActivityMonitors monitors;
    private final WatchLimit<Acceptor<?>> watches;
    private final ServiceRegistry<JobType<?, ?>, Acceptor<?>> acceptors = new ServiceRegistry<>(Acceptor::close);

    public Acceptors(Instance instance, ActivityMonitors monitors) {
        this.instance = instance;
        this.monitors = monitors;
        this.watches = new WatchLimit<>(
                TYPES_WATCHED_MAX, acceptor -> monitors.isInUse(acceptor.typeName()), Acceptor::lookAgain);
        monitors.afterEachLook(watches::wakeInUse);
    }

    /** {@return a claimed job, or empty when the time is up} */
    public <D> CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type, AcceptOptions options) {
        try {
            monitors.watchOver(type);
            synchronized (this) {
                return acceptor(type).accept(type, options);
            }
        } catch (CouchJobsClosedException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Claims for a worker from now on, whenever it has room.
     *
     * @throws IllegalArgumentException if another worker goes by another retry policy or retention for that type
     */
    public <D> ClaimSubscription serve(JobType<D, ?> type, ClaimConsumer<D> consumer, AcceptOptions options) {
        monitors.workerBegins(type);
        try {
            synchronized (this) {
                return acceptor(type).serve(consumer, options, () -> monitors.workerEnds(type));
            }
        } catch (RuntimeException e) {
            monitors.workerEnds(type);
            throw e;
        }
    }

    @SuppressWarnings("unchecked") // a job type is only ever the key of an acceptor of its own data type
    private <D> Acceptor<D> acceptor(JobType<D, ?> type) {
        return (Acceptor<D>) acceptors.get(type, unused -> create(type));
    }

    private <D> Acceptor<D> create(JobType<D, ?> type) {
        return new Acceptor<>(type, instance, watches, () -> releaseIfUnused(type));
    }

    /** A client comes by the same lock, so none comes to an acceptor that is released. */
    private synchronized void releaseIfUnused(JobType<?, ?> type) {
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
