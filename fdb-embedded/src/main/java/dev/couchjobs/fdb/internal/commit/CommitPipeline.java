package dev.couchjobs.fdb.internal.commit;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.internal.common.Completions;
import dev.couchjobs.fdb.internal.common.EngineFailure;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.storage.MemoryLimits;
import dev.couchjobs.fdb.internal.storage.Storage;
import dev.couchjobs.fdb.internal.versions.VersionWindow;
import dev.couchjobs.fdb.internal.watches.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Applies commits to the database. A commit passes two actors: the first decides whether it conflicts, the second
 * persists the decided batches and publishes them. The first actor continues while the second waits for the storage,
 * and the next call persists all batches decided by then: the slower the storage, the more commits share one call.
 *
 * <p>If a batch cannot be persisted, the batches decided on top of it fail too. The first actor then starts over from
 * the newest published contents.
 */
public final class CommitPipeline {
    /** Maximum number of commits in a batch: a quarter of the indexes that the two bytes of a versionstamp allow. */
    private static final long MAX_BATCH_COMMITS = 1 << 14;

    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    /** A message to the second actor. */
    private sealed interface Message {}

    /** {@code epoch} counts how often the first actor has started over. */
    private record DecidedBatch(Decision.Batch batch, long epoch) implements Message {}

    /** A version that was reserved for a batch that could not be decided. */
    private record UnusedVersion(long version) implements Message {}

    private record Arm(Watch watch) implements Message {}

    private record Disarm(Watch watch) implements Message {}

    private record Close(CompletableFuture<@Nullable Void> done) implements Message {}

    private final VersionWindow versions;
    private final Storage storage;
    private final Executor executor;
    private final MemoryLimits limits;
    private final LongFunction<? extends CompletableFuture<?>> delay;
    private final EngineFailure engineFailure;
    private final AdmissionControl admission;
    /** Bytes of the commits in {@link #undecided}. */
    private final AtomicLong waiting = new AtomicLong();

    private final Sequencer sequencer;
    private final CommitPublisher publisher;
    private final Mailbox<Commit> undecided;
    private final Mailbox<Message> decided;
    /** Written by the first actor. */
    private long epoch;
    /** The epoch whose batches have failed, or -1. Written by the second actor. */
    private volatile long failedEpoch = -1;
    /** The error with which those batches have failed. */
    private RuntimeException epochError = Engine.closedError();

    private volatile boolean closed;

    /**
     * {@code delay} completes after the given number of nanoseconds, or fails once the engine closes. The pipeline
     * fails all commits once there is an {@code engineFailure}, and reports its own there.
     */
    CommitPipeline(
            VersionWindow versions,
            Storage storage,
            EngineEnvironment environment,
            LongFunction<? extends CompletableFuture<?>> delay,
            EngineFailure engineFailure) {
        this.versions = versions;
        this.storage = storage;
        this.executor = engineFailure.guard(environment.executor());
        this.limits = MemoryLimits.ofHeap(environment.heapBytes());
        this.delay = delay;
        this.engineFailure = engineFailure;
        this.admission = new AdmissionControl(versions, limits.recentBytes());
        this.sequencer = new Sequencer(versions, storage);
        this.publisher = new CommitPublisher(versions);
        long batchBytes = limits.batchBytes();
        long minCommitBytes = batchBytes / MAX_BATCH_COMMITS;
        this.decided = new Mailbox<>(
                executor, delay, new Mailbox.Limit<>(CommitPipeline::bytes, batchBytes), new SecondActor());
        this.undecided = new Mailbox<>(
                executor,
                delay,
                new Mailbox.Limit<>(commit -> Math.max(minCommitBytes, commit.bytes()), batchBytes),
                new FirstActor(),
                decided::runPending);
    }

    private static long bytes(Message message) {
        return message instanceof DecidedBatch decidedBatch ? decidedBatch.batch.bytes() : 0;
    }

    public void submit(Commit commit) {
        if (acceptOrReject(commit)) {
            undecided.post(commit);
        }
    }

    /**
     * Submits a commit for a caller that calls {@link #runPending} next and then blocks. If no other thread commits,
     * the caller decides and persists the commit itself, which saves two thread switches.
     */
    public void submitCallerRuns(Commit commit) {
        if (acceptOrReject(commit)) {
            undecided.enqueue(commit);
        }
    }

    /** Counts the commit's bytes as waiting; if the limit is exceeded, fails the commit and returns false. */
    private boolean acceptOrReject(Commit commit) {
        long bytes = commit.bytes();
        if (waiting.addAndGet(bytes) <= Math.max(limits.waitingBytes(), bytes)) {
            return true;
        }
        waiting.addAndGet(-bytes);
        commit.commitCallback().failed(FdbError.COMMIT_PROXY_MEMORY_LIMIT.exception());
        return false;
    }

    /** Decides and persists submitted commits on the calling thread, unless another thread does so already. */
    public void runPending() {
        undecided.runPending();
    }

    /** Arms the watch of a transaction that writes nothing, and so does not submit a commit. */
    public void arm(Watch watch) {
        decided.post(new Arm(watch));
    }

    void disarm(Watch watch) {
        decided.post(new Disarm(watch));
    }

    /** Persists the current version without a commit, so that the storage raises its ceiling. */
    void raiseCeiling() {
        undecided.post(Commit.NOTHING);
    }

    /** Fails every later commit and watch. The result completes when the storage is closed as well. */
    CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        decided.post(new Close(done));
        return done;
    }

    /** Answers all that wait with the engine's failure. */
    void stop() {
        Throwable cause = engineFailure.cause();
        if (cause != null) {
            undecided.fail(cause);
            decided.fail(cause);
        }
    }

    /**
     * Decides batches of commits. An {@link Error}, unlike an error of the storage, can leave the conflict table or the
     * contents half changed. Neither is used again: the commits in progress may have happened, and all others fail.
     */
    private final class FirstActor implements Mailbox.Handler<Commit> {
        @Override
        public @Nullable CompletableFuture<?> handle(List<Commit> commits) {
            Throwable cause = engineFailure.cause();
            if (cause != null) {
                reject(commits, false, cause);
                return null;
            }
            return decideWhenAdmitted(commits);
        }

        @Override
        public void reject(List<Commit> commits, boolean isHalfHandled, Throwable cause) {
            engineFailure.report(cause);
            FdbError code = isHalfHandled ? FdbError.COMMIT_UNKNOWN_RESULT : FdbError.INTERNAL_ERROR;
            fail(commits, EngineFailure.asError(code, cause));
        }
    }

    /** Decides the commits once the window has room for their writes. */
    private @Nullable CompletableFuture<?> decideWhenAdmitted(List<Commit> commits) {
        long bytes = 0;
        for (Commit commit : commits) {
            bytes += AdmissionControl.bytes(commit);
        }
        long nanos = closed ? 0 : admission.delayNanos(bytes);
        if (nanos == 0) {
            decideOrRefuse(commits, bytes);
            return null;
        }
        return delayed(commits, bytes, nanos);
    }

    private CompletableFuture<@Nullable Void> delayed(List<Commit> commits, long bytes, long nanos) {
        return delay.apply(nanos)
                .handle((done, closing) -> closing != null)
                .thenComposeAsync(closing -> afterDelay(commits, bytes, nanos, closing), executor);
    }

    private CompletableFuture<@Nullable Void> afterDelay(
            List<Commit> commits, long bytes, long waited, boolean closing) {
        long nanos = closing || waited != AdmissionControl.FULL_NANOS ? 0 : admission.delayNanos(bytes);
        if (nanos != 0) {
            return delayed(commits, bytes, nanos);
        }
        decideOrRefuse(commits, bytes);
        decided.runPending();
        return DONE;
    }

    private void decideOrRefuse(List<Commit> commits, long bytes) {
        if (failedEpoch == epoch) {
            epoch++;
            sequencer.startOver();
        }
        if (closed) {
            fail(commits, Engine.closedError());
            return;
        }
        long version = versions.reserve();
        admission.admit(version, bytes);
        long decidedBytes = 0;
        for (Commit commit : commits) {
            decidedBytes += commit.bytes();
        }
        waiting.addAndGet(-decidedBytes);
        Decision.Batch batch;
        try {
            batch = sequencer.decide(commits, version);
        } catch (RuntimeException error) {
            if (!sequencer.isIntact()) {
                throw error;
            }
            // Only the second actor may abandon a version: the previous batch may still be in progress.
            decided.enqueue(new UnusedVersion(version));
            fail(commits, closed ? Engine.closedError() : asReported(error));
            return;
        }
        decided.enqueue(new DecidedBatch(batch, epoch));
    }

    private static void fail(List<Commit> commits, RuntimeException error) {
        forEach(commits, commit -> commit.commitCallback().failed(error));
    }

    /** Persists and publishes decided batches. Those during which it breaks may be durable. */
    private final class SecondActor implements Mailbox.Handler<Message> {
        @Override
        public @Nullable CompletableFuture<?> handle(List<Message> messages) {
            Throwable cause = engineFailure.cause();
            if (cause != null) {
                reject(messages, false, cause);
                return null;
            }
            return process(messages);
        }

        @Override
        public void reject(List<Message> messages, boolean isHalfHandled, Throwable cause) {
            engineFailure.report(cause);
            RuntimeException failure = engineFailure.asError();
            RuntimeException batchError =
                    isHalfHandled ? EngineFailure.asError(FdbError.COMMIT_UNKNOWN_RESULT, cause) : failure;
            forEach(messages, message -> {
                if (message instanceof DecidedBatch decidedBatch) {
                    publisher.abandon(decidedBatch.batch, batchError);
                } else if (message instanceof Arm arm) {
                    arm.watch.fail(failure);
                } else if (message instanceof Close close) {
                    closeStorage(close.done);
                }
            });
        }
    }

    /** Does it to all, even if it fails for some; then throws the first error. */
    private static <T> void forEach(List<T> all, Consumer<T> action) {
        Throwable first = null;
        for (T one : all) {
            try {
                action.accept(one);
            } catch (RuntimeException | Error error) {
                first = first == null ? error : first;
            }
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
    }

    private @Nullable CompletableFuture<?> process(List<Message> messages) {
        List<DecidedBatch> toPersist = new ArrayList<>();
        for (Message message : messages) {
            if (message instanceof DecidedBatch decidedBatch) {
                if (isPersistable(decidedBatch)) {
                    toPersist.add(decidedBatch);
                } else {
                    publisher.abandon(decidedBatch.batch, closed ? Engine.closedError() : epochError);
                }
            }
        }
        if (toPersist.isEmpty()) {
            processOtherMessages(messages);
            return null;
        }
        CompletableFuture<?> persisted = persist(toPersist);
        if (persisted.isDone()) {
            publishOrAbandon(messages, toPersist, errorOf(persisted));
            return null;
        }
        return persisted.handle((done, error) -> {
            publishOrAbandon(messages, toPersist, error);
            return null;
        });
    }

    private static @Nullable Throwable errorOf(CompletableFuture<?> done) {
        return done.handle((value, error) -> error).join();
    }

    private void publishOrAbandon(List<Message> messages, List<DecidedBatch> persisted, @Nullable Throwable error) {
        if (error == null) {
            persisted.forEach(decidedBatch -> publisher.publish(decidedBatch.batch));
        } else {
            abandonAll(persisted, error);
        }
        processOtherMessages(messages);
    }

    /** Reports errors through the future only, so that every waiting commit gets an answer. */
    private CompletableFuture<?> persist(List<DecidedBatch> batches) {
        try {
            return storage.persist(batches.stream()
                    .map(decidedBatch -> decidedBatch.batch.toPersist())
                    .toList());
        } catch (RuntimeException | Error error) {
            return CompletableFuture.failedFuture(error);
        }
    }

    /** False if the pipeline has closed, or if an earlier batch, on which this one builds, has failed. */
    private boolean isPersistable(DecidedBatch decidedBatch) {
        return !closed && decidedBatch.epoch != failedEpoch;
    }

    private void abandonAll(List<DecidedBatch> batches, Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        Throwable ofStorage = cause instanceof Error ? cause : storage.failure();
        epochError = asReported(cause);
        // Both come before any caller gets an answer, because a caller may retry at once.
        failedEpoch = batches.get(0).epoch;
        if (ofStorage != null) {
            engineFailure.report(ofStorage);
        }
        batches.forEach(decidedBatch -> publisher.abandon(decidedBatch.batch, epochError));
    }

    private static RuntimeException asReported(Throwable cause) {
        if (cause instanceof Error) {
            return EngineFailure.asError(FdbError.COMMIT_UNKNOWN_RESULT, cause);
        }
        return cause instanceof FDBException fdbError ? fdbError : FdbError.IO_ERROR.exception(cause);
    }

    private void processOtherMessages(List<Message> messages) {
        for (Message message : messages) {
            if (message instanceof UnusedVersion unused) {
                versions.abandon(unused.version);
            } else if (message instanceof Arm arm) {
                armOrFail(arm.watch);
            } else if (message instanceof Disarm disarm) {
                publisher.disarm(disarm.watch);
            } else if (message instanceof Close close) {
                closeStorage(close.done);
            }
        }
    }

    /** Closes on the executor, not on a caller's thread: closing takes long and can be interrupted. */
    private void closeStorage(CompletableFuture<@Nullable Void> done) {
        if (closed) {
            return;
        }
        closed = true;
        Completions.execute(
                () -> {
                    try {
                        // Reserved and never published, so that no greater read version is handed out.
                        storage.close(versions.reserve());
                        done.complete(null);
                    } catch (RuntimeException | Error error) {
                        done.completeExceptionally(error);
                    }
                },
                executor);
    }

    private void armOrFail(Watch watch) {
        if (closed) {
            watch.fail(Engine.closedError());
        } else {
            publisher.arm(List.of(watch));
        }
    }
}
