package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.internal.commit.Commit;
import dev.couchjobs.fdb.internal.commit.CommitReply;
import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.internal.commit.Timers;
import dev.couchjobs.fdb.internal.common.Completions;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.KeySpaceBounds;
import dev.couchjobs.fdb.internal.keys.Limits;
import dev.couchjobs.fdb.internal.watches.Watch;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A transaction through all its tries: what the C client keeps behind a transaction's pointer. Thread-safe by its own
 * lock; nothing waits under it, and no user's continuation runs under it.
 */
public final class ClientTransaction {
    private static final long NOT_COMMITTED = -1;

    private final Engine engine;
    private final Executor executor;
    private final TransactionSettings defaults;
    private final long createdNanos;
    private final TransactionBackoff backoff = new TransactionBackoff();

    private TransactionAttempt attempt;
    private Timers.@Nullable Alarm timeout;
    private @Nullable CompletableFuture<@Nullable Void> pendingRetry;
    /** The version of the last attempt that committed: FoundationDB's client keeps it when a new attempt begins. */
    private long committedVersion = NOT_COMMITTED;

    ClientTransaction(Engine engine, Executor executor, TransactionSettings defaults) {
        this.engine = engine;
        this.executor = executor;
        this.defaults = defaults;
        this.createdNanos = engine.nanoTime();
        this.attempt = new TransactionAttempt(engine, defaults.copy());
        restartTimeout();
    }

    Executor executor() {
        return executor;
    }

    /** Reads complete at once: the snapshot is in memory. */
    <T extends @Nullable Object> CompletableFuture<T> read(Function<TransactionReads, T> read) {
        return answer(() -> {
            attempt.checkUsable();
            try {
                return reading(read);
            } catch (FDBException error) {
                attempt.readFailed(error);
                throw error;
            }
        });
    }

    private <T extends @Nullable Object> T reading(Function<TransactionReads, T> read) {
        try {
            return read.apply(new TransactionReads(attempt));
        } catch (StorageException | IllegalStateException error) {
            engine.checkOpen();
            throw FdbError.IO_ERROR.exception(error);
        }
    }

    /** A write never fails in place: what is wrong with it, all that follows fails with. */
    synchronized void write(Consumer<TransactionWrites> write) {
        if (attempt.isPoisoned()) {
            return;
        }
        try {
            write.accept(new TransactionWrites(attempt));
        } catch (FDBException error) {
            attempt.poison(error);
        }
    }

    void addReadConflict(KeyRange range) {
        write(writes -> {
            attempt.checkNotCommitting();
            TransactionReads reads = new TransactionReads(attempt);
            reads.checkLegal(range.begin());
            reads.checkLegal(range.end());
            KeyRange shortened =
                    new KeyRange(KeySpaceBounds.shortened(range.begin()), KeySpaceBounds.shortened(range.end()));
            if (!shortened.isEmpty()) {
                reads.addConflict(shortened.begin(), shortened.end());
            }
        });
    }

    synchronized void setOption(TransactionOption option, byte @Nullable [] value) {
        if (attempt.isPoisoned()) {
            return;
        }
        try {
            if (option == TransactionOption.READ_YOUR_WRITES_DISABLE && attempt.isUsed()) {
                throw FdbError.CLIENT_INVALID_OPERATION.exception(
                        "READ_YOUR_WRITES_DISABLE has to come before all reads and writes");
            }
            attempt.settings().apply(option, value);
            if (option == TransactionOption.TIMEOUT) {
                restartTimeout();
            }
        } catch (FDBException error) {
            attempt.poison(error);
        }
    }

    CompletableFuture<Long> getReadVersion() {
        return answer(() -> {
            attempt.checkNotPoisoned();
            attempt.checkNotEnded();
            long version = attempt.snapshot().version();
            attempt.checkWindow();
            return version;
        });
    }

    void setReadVersion(long version) {
        write(writes -> attempt.readAt(version));
    }

    CompletableFuture<Long> getApproximateSize() {
        return answer(() -> {
            attempt.checkNotPoisoned();
            return attempt.approximateSize();
        });
    }

    synchronized long getCommittedVersion() {
        return committedVersion;
    }

    CompletableFuture<byte[]> getVersionstamp() {
        CompletableFuture<byte[]> versionstamp = new CompletableFuture<>();
        synchronized (this) {
            try {
                attempt.checkUsable();
                attempt.awaitVersionstamp(versionstamp);
            } catch (FDBException error) {
                versionstamp.completeExceptionally(error);
            }
        }
        return versionstamp;
    }

    /** The key is read like any other; the watch waits from the commit on. */
    CompletableFuture<@Nullable Void> watch(byte[] key) {
        synchronized (this) {
            try {
                attempt.checkUsable();
                if (attempt.settings().isReadYourWritesDisabled()) {
                    throw FdbError.WATCHES_DISABLED.exception();
                }
                byte[] seen = reading(reads -> reads.get(key, false));
                if (key.length > Limits.writableKeyBytes(key)) {
                    throw FdbError.KEY_TOO_LARGE.exception(key.length + " bytes");
                }
                Watch watch = new Watch(key, seen, executor);
                engine.watches().add(watch);
                attempt.watches()
                        .computeIfAbsent(key, first -> new ArrayList<>())
                        .add(watch);
                return watch.future();
            } catch (FDBException error) {
                return CompletableFuture.failedFuture(error);
            }
        }
    }

    CompletableFuture<@Nullable Void> commit() {
        long unused = StackCheck.require();
        CommitReply reply = CommitReply.on(executor);
        Commit commit = startCommit(reply);
        if (commit != null) {
            engine.pipeline().submit(commit);
        }
        return reply.future();
    }

    /** Commits on this very thread if it can, which then blocks until it is done; throws what the future would hold. */
    void commitAndWait() {
        long unused = StackCheck.require();
        CommitReply reply = CommitReply.awaited();
        Commit commit = startCommit(reply);
        if (commit != null) {
            engine.pipeline().submitCallerRuns(commit);
        }
        engine.pipeline().runPending();
        reply.await();
    }

    /**
     * What is to be submitted, outside the lock, as it may be settled on this thread; null if it is answered already.
     */
    private synchronized @Nullable Commit startCommit(CommitReply reply) {
        try {
            attempt.checkUsable();
        } catch (FDBException error) {
            reply.future().completeExceptionally(error);
            return null;
        }
        attempt.startCommit(reply);
        AttemptCommit commit = ending();
        try {
            attempt.checkReadsSucceeded();
            if (commit.isReadOnly()) {
                committedVersion = NOT_COMMITTED;
                commit.finishReadOnly(reply);
                return null;
            }
            return commit.prepare(new PipelineCallback(attempt, reply));
        } catch (FDBException error) {
            commit.fail(reply, error);
            return null;
        }
    }

    void cancel() {
        end(FdbError.TRANSACTION_CANCELLED.exception());
    }

    /** Comes behind every transaction, most of which are over by then, so there is hardly ever a future to complete. */
    synchronized void close() {
        cancelUnlessSettled();
        stopTimeout();
    }

    private void cancelUnlessSettled() {
        if (pendingRetry != null || !attempt.isSettled()) {
            end(FdbError.TRANSACTION_CANCELLED.exceptionWithoutTrace());
        }
    }

    /** Completes when the transaction is as new again; after a failure it is of no more use. */
    synchronized CompletableFuture<@Nullable Void> onError(FDBException error) {
        FDBException ended = attempt.ended();
        if (ended != null) {
            return CompletableFuture.failedFuture(ended);
        }
        FdbError fdbError = FdbError.ofCode(error.getCode());
        boolean mayRetry = backoff.mayRetry(attempt.settings().retryLimit());
        if (fdbError == null || !mayRetry || !TransactionBackoff.retries(fdbError)) {
            close();
            return CompletableFuture.failedFuture(error);
        }
        int maxMillis = attempt.settings().maxRetryDelayMillis();
        CompletableFuture<@Nullable Void> retry = new CompletableFuture<>();
        pendingRetry = retry;
        AtomicInteger contenders = engine.contenders();
        int contending = fdbError == FdbError.NOT_COMMITTED ? 1 : 0;
        long delay = backoff.nextDelayNanos(fdbError, maxMillis, contenders.addAndGet(contending), engine.jitter());
        Completions.whenSettled(engine.after(delay), failure -> {
            contenders.addAndGet(-contending);
            retry(retry, failure);
        });
        return retry;
    }

    private void retry(CompletableFuture<@Nullable Void> retry, @Nullable Throwable failure) {
        synchronized (this) {
            pendingRetry = null;
            Throwable obstacle = failure == null ? attempt.ended() : failure;
            if (obstacle != null) {
                Completions.fail(retry, obstacle, executor);
                return;
            }
            cancelUnlessSettled();
            attempt = new TransactionAttempt(engine, attempt.settings().forRetry(defaults));
        }
        Completions.complete(retry, executor);
    }

    private synchronized <T extends @Nullable Object> CompletableFuture<T> answer(Supplier<T> question) {
        try {
            return CompletableFuture.completedFuture(question.get());
        } catch (FDBException error) {
            return CompletableFuture.failedFuture(error);
        }
    }

    private AttemptCommit ending() {
        return new AttemptCommit(engine, executor, attempt);
    }

    private synchronized void end(FDBException error) {
        CompletableFuture<@Nullable Void> retry = pendingRetry;
        if (retry != null) {
            Completions.fail(retry, error, executor);
        }
        ending().abandon(error);
    }

    private synchronized void restartTimeout() {
        stopTimeout();
        int millis = attempt.settings().timeoutMillis();
        if (millis > 0) {
            long elapsed = engine.nanoTime() - createdNanos;
            long remaining = Math.max(0, TimeUnit.MILLISECONDS.toNanos(millis) - elapsed);
            timeout = engine.alarm(remaining, () -> end(FdbError.TRANSACTION_TIMED_OUT.exception()));
        }
    }

    private synchronized void stopTimeout() {
        if (timeout != null) {
            timeout.cancel();
            timeout = null;
        }
    }

    /** The answer of the pipeline; a later attempt ignores it. */
    private final class PipelineCallback implements Commit.CommitCallback {
        private final TransactionAttempt committing;
        private final CommitReply reply;

        PipelineCallback(TransactionAttempt committing, CommitReply reply) {
            this.committing = committing;
            this.reply = reply;
        }

        @Override
        public void committed(CommitStamp stamp) {
            synchronized (ClientTransaction.this) {
                if (attempt == committing) {
                    committedVersion = stamp.version();
                    stopTimeout();
                }
                new AttemptCommit(engine, executor, committing).succeed(reply, stamp);
            }
        }

        @Override
        public void failed(RuntimeException error) {
            synchronized (ClientTransaction.this) {
                new AttemptCommit(engine, executor, committing).fail(reply, error);
            }
        }
    }
}
