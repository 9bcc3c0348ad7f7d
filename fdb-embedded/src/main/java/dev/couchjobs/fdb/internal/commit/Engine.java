package dev.couchjobs.fdb.internal.commit;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.internal.common.Completions;
import dev.couchjobs.fdb.internal.common.EngineFailure;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.storage.DurableStorage;
import dev.couchjobs.fdb.internal.storage.Storage;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import dev.couchjobs.fdb.internal.versions.VersionClock;
import dev.couchjobs.fdb.internal.versions.VersionWindow;
import dev.couchjobs.fdb.internal.watches.OutstandingWatches;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state that all transactions of a database share. Thread-safe. */
public final class Engine {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    /** Well within the time for which {@link DurableStorage} raises its ceiling ahead. */
    private static final long CEILING_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final AtomicLong OPENED = new AtomicLong();

    private final long number = OPENED.incrementAndGet();
    private final EngineEnvironment environment;
    private final EngineFailure failure;
    private final Runnable release;
    private volatile Storage storage;
    private volatile VersionWindow versions;
    private volatile CommitPipeline pipeline;
    private final Timers timers;
    private final OutstandingWatches watches;
    private final AtomicInteger contenders = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean hasSaidWhy;
    private final CompletableFuture<@Nullable Void> storageClosed = new CompletableFuture<>();

    /** An engine whose storage reports to nobody. */
    public Engine(EngineEnvironment environment, Storage storage, Runnable release) {
        this(environment, storage, new EngineFailure(), release);
    }

    /**
     * {@code failure} is where the storage reports what stops it. {@code release} runs once the engine is closed and no
     * longer uses its environment.
     */
    public Engine(EngineEnvironment environment, Storage storage, EngineFailure failure, Runnable release) {
        this.environment = environment;
        this.failure = failure;
        this.release = release;
        this.storage = storage;
        this.versions = versionsOf(storage);
        this.watches = new OutstandingWatches(watch -> pipeline().disarm(watch));
        this.timers = new Timers(environment.scheduler(), failure);
        this.pipeline = pipelineTo(storage);
        failure.whenReported(this::stopped);
        if (storage.ceiling() != Long.MAX_VALUE) {
            keepCeilingAhead();
        }
    }

    /** As a cluster has it, {@code description:id@coordinators}; other engines of this process have others. */
    public byte[] connectionString() {
        return "embedded_%d:%d@in-process".formatted(number, number).getBytes(StandardCharsets.US_ASCII);
    }

    private VersionWindow versionsOf(Storage storage) {
        Snapshot recovered = storage.recovered();
        VersionClock clock = new VersionClock(environment.nanoTime(), recovered.version());
        VersionWindow window = new VersionWindow(clock, recovered, storage::ceiling);
        storage.start(window::oldestReadable);
        return window;
    }

    private CommitPipeline pipelineTo(Storage storage) {
        return new CommitPipeline(versions, storage, environment, timers::after, failure);
    }

    /**
     * Continues with the snapshot that {@code recovered} has, as a cluster does after a failure: open
     * transactions become too old, and watches fail. The previous storage must have failed.
     */
    public void restart(Storage recovered) {
        storage = recovered;
        versions = versionsOf(recovered);
        pipeline = pipelineTo(recovered);
        watches.failAll(FdbError.FUTURE_VERSION.exception("the store was lost"));
    }

    /** Answers all who wait. May be repeated, because it may fail for lack of memory. */
    private void stopped() {
        FDBException error = failure.asError();
        pipeline.stop();
        watches.failAll(error);
        if (!hasSaidWhy && !closed.get()) {
            LOG.error("A database stops: {}", error.getMessage(), error.getCause());
            hasSaidWhy = true;
        }
    }

    /** {@return the error that has stopped the engine, if there is one} */
    public EngineFailure failure() {
        return failure;
    }

    /** Persists a version regularly, because the storage raises its ceiling only when it persists. */
    private void keepCeilingAhead() {
        Completions.whenSettled(timers.after(CEILING_INTERVAL_NANOS), error -> {
            if (error == null && failure.cause() == null) {
                failure.guard(this::raiseCeiling).run();
            }
        });
    }

    private void raiseCeiling() {
        pipeline.raiseCeiling();
        keepCeilingAhead();
    }

    static FDBException closedError() {
        return FdbError.OPERATION_CANCELLED.exception("the database is closed");
    }

    public Executor executor() {
        return environment.executor();
    }

    public long nanoTime() {
        return environment.nanoTime().getAsLong();
    }

    /** Uniform between 0 and 1. */
    public double jitter() {
        synchronized (environment.random()) {
            return environment.random().nextDouble();
        }
    }

    public CompletableFuture<@Nullable Void> after(long nanos) {
        return timers.after(nanos);
    }

    public Timers.Alarm alarm(long nanos, Runnable action) {
        return timers.alarm(nanos, action);
    }

    /** The number of transactions that wait for another try after a conflict. */
    public AtomicInteger contenders() {
        return contenders;
    }

    public VersionWindow versions() {
        return versions;
    }

    public CommitPipeline pipeline() {
        return pipeline;
    }

    public OutstandingWatches watches() {
        return watches;
    }

    public void checkOpen() {
        if (closed.get()) {
            throw closedError();
        }
        if (failure.cause() != null) {
            failure.tell();
            throw failure.asError();
        }
    }

    public boolean isClosed() {
        return closed.get();
    }

    /** Writes a copy of the storage. {@return completes when it is on disk} */
    public CompletableFuture<@Nullable Void> backUp(Path directory) {
        checkOpen();
        CompletableFuture<@Nullable Void> written = new CompletableFuture<>();
        environment.executor().execute(() -> {
            try {
                storage.backUp(directory);
                written.complete(null);
            } catch (RuntimeException error) {
                written.completeExceptionally(error);
            } catch (Error error) {
                failure.report(error);
                written.completeExceptionally(failure.asError());
            }
        });
        return written;
    }

    /** Closes the engine. Each call returns the same future, which completes when the storage is closed. */
    public CompletableFuture<@Nullable Void> close() {
        if (closed.compareAndSet(false, true)) {
            timers.close();
            watches.failAll(closedError());
            Completions.whenSettled(pipeline.close(), error -> {
                release.run();
                if (error == null) {
                    storageClosed.complete(null);
                } else {
                    storageClosed.completeExceptionally(error);
                }
            });
        }
        return storageClosed;
    }
}
