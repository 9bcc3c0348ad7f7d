package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.FDBException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What all transactions of a database share. Thread-safe. */
final class Engine {
    private final EngineEnvironment environment;
    private final Runnable release;
    private final VersionWindow versions;
    private final CommitPipeline pipeline;
    private final Delays delays;
    private final OutstandingWatches watches;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** {@code release} is run once the engine has closed and needs its environment no more. */
    Engine(EngineEnvironment environment, Storage storage, Runnable release) {
        this.environment = environment;
        this.release = release;
        Snapshot recovered = storage.recovered();
        VersionClock clock = new VersionClock(environment.nanoTime(), recovered.version());
        this.versions = new VersionWindow(clock, recovered, storage::ceiling);
        this.pipeline = new CommitPipeline(versions, storage, environment.executor());
        this.watches = new OutstandingWatches(pipeline::disarm);
        this.delays = new Delays(environment.scheduler());
    }

    static FDBException closedError() {
        return FdbError.OPERATION_CANCELLED.exception("the database is closed");
    }

    Executor executor() {
        return environment.executor();
    }

    long nanoTime() {
        return environment.nanoTime().getAsLong();
    }

    /** Uniform between 0 and 1. */
    double jitter() {
        synchronized (environment.random()) {
            return environment.random().nextDouble();
        }
    }

    CompletableFuture<@Nullable Void> after(long nanos) {
        return delays.after(nanos);
    }

    VersionWindow versions() {
        return versions;
    }

    CommitPipeline pipeline() {
        return pipeline;
    }

    OutstandingWatches watches() {
        return watches;
    }

    void checkOpen() {
        if (closed.get()) {
            throw closedError();
        }
    }

    boolean isClosed() {
        return closed.get();
    }

    void close() {
        if (closed.compareAndSet(false, true)) {
            delays.close();
            watches.failAll(closedError());
            pipeline.close(release);
        }
    }
}
