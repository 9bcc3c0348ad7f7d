package dev.couchjobs.fdb.internal.commit;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.internal.common.Completions;
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
 * The one way in which the database changes. A commit passes two actors: the first decides, the second has what was
 * decided made durable and then makes it known. While the second waits for the storage, the first goes on deciding, and
 * all that it has decided by then is persisted at once: the slower the storage, the more commits share its work.
 *
 * <p>A batch that cannot be persisted takes along all that was decided on top of it; the first actor then starts over
 * from what has been published.
 */
public final class CommitPipeline {
    /** Of commits in a batch, as a stamp has two bytes for the place in it. */
    private static final long BATCH_COMMITS = 1 << 14;

    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    /** To the second actor, in the order in which it matters. */
    private sealed interface Message {}

    /** {@code epoch} counts how often the first actor has started over. */
    private record Decided(Decision.Batch batch, long epoch) implements Message {}

    /** A version was reserved for nothing. */
    private record Undecided(long version) implements Message {}

    private record Arm(Watch watch) implements Message {}

    private record Disarm(Watch watch) implements Message {}

    private record Close(CompletableFuture<@Nullable Void> done) implements Message {}

    private final VersionWindow versions;
    private final Storage storage;
    private final Executor executor;
    private final MemoryLimits limits;
    private final LongFunction<? extends CompletableFuture<?>> delay;
    private final Consumer<RuntimeException> whenBroken;
    private final AdmissionControl admission;
    /** Bytes of the commits that have not been decided. */
    private final AtomicLong waiting = new AtomicLong();

    private final Sequencer sequencer;
    private final CommitPublisher publisher;
    private final Mailbox<Commit> undecided;
    private final Mailbox<Message> decided;
    /** Written by the first actor. */
    private long epoch;
    /** Written by the second actor: the epoch whose batches have failed, or -1. */
    private volatile long failedEpoch = -1;
    /** Why they have. */
    private RuntimeException failure = Engine.closedError();

    private volatile boolean closed;
    /** What went wrong within the engine itself: from then on nothing is decided, persisted or read any more. */
    private volatile @Nullable Throwable broken;
    /** The batch at which the first actor broke, whose commits may have been decided. */
    private @Nullable List<Commit> halfDecided;
    /** The batch at which the second actor broke, which may be durable. */
    private @Nullable List<Message> halfSettled;

    /**
     * {@code delay} completes after that many nanoseconds, or fails once the engine closes; {@code whenBroken} is
     * called once the pipeline can do nothing but refuse, perhaps repeatedly.
     */
    CommitPipeline(
            VersionWindow versions,
            Storage storage,
            EngineEnvironment environment,
            LongFunction<? extends CompletableFuture<?>> delay,
            Consumer<RuntimeException> whenBroken) {
        this.versions = versions;
        this.storage = storage;
        this.executor = environment.executor();
        this.limits = MemoryLimits.ofHeap(environment.heapBytes());
        this.delay = delay;
        this.whenBroken = whenBroken;
        this.admission = new AdmissionControl(versions, limits.recentBytes());
        this.sequencer = new Sequencer(versions, storage);
        this.publisher = new CommitPublisher(versions);
        long batchBytes = limits.batchBytes();
        long leastBytes = batchBytes / BATCH_COMMITS;
        this.decided = new Mailbox<>(executor, new Mailbox.Limit<>(CommitPipeline::bytes, batchBytes), this::settle);
        this.undecided = new Mailbox<>(
                executor,
                new Mailbox.Limit<>(commit -> Math.max(leastBytes, commit.bytes()), batchBytes),
                this::decide,
                decided::help);
    }

    private static long bytes(Message message) {
        return message instanceof Decided each ? each.batch.bytes() : 0;
    }

    public void submit(Commit commit) {
        if (mayWait(commit)) {
            undecided.post(commit);
        }
    }

    /**
     * For a thread that calls {@link #help} next and then blocks: if no other thread commits, it decides and persists
     * on its own, which spares it the way to another thread and back.
     */
    public void submitToHelp(Commit commit) {
        if (mayWait(commit)) {
            undecided.leave(commit);
        }
    }

    /** Refuses a commit that finds too many before it: its caller has to wait for answers. */
    private boolean mayWait(Commit commit) {
        long bytes = commit.bytes();
        if (waiting.addAndGet(bytes) <= Math.max(limits.waitingBytes(), bytes)) {
            return true;
        }
        waiting.addAndGet(-bytes);
        commit.commitCallback().failed(FdbError.COMMIT_PROXY_MEMORY_LIMIT.exception());
        return false;
    }

    public void help() {
        undecided.help();
    }

    /** For a transaction that commits without passing through here, because it writes nothing. */
    public void arm(Watch watch) {
        decided.post(new Arm(watch));
    }

    void disarm(Watch watch) {
        decided.post(new Disarm(watch));
    }

    /** Persists the present version without a commit, which lets the storage raise its ceiling. */
    void touch() {
        undecided.post(Commit.NOTHING);
    }

    /** Fails every commit and watch that comes later. Completes when the storage is closed as well. */
    CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        decided.post(new Close(done));
        return done;
    }

    /** Why nothing goes on, or null if it does. */
    @Nullable RuntimeException failure() {
        Throwable cause = broken;
        return cause == null ? null : brokenError(FdbError.INTERNAL_ERROR, cause);
    }

    private static RuntimeException brokenError(FdbError error, Throwable cause) {
        FDBException told = error.exception(
                "the engine met " + cause + " while it committed, and stopped; close the database and open it again");
        told.initCause(cause);
        return told;
    }

    /**
     * An {@link Error}, as opposed to a storage that refuses, can leave behind a conflict table or a state that is half
     * changed. Neither is used again: what was under way may have happened, and nothing else will.
     */
    private @Nullable CompletableFuture<?> decide(List<Commit> commits) {
        Throwable cause = broken;
        if (cause != null) {
            fail(
                    commits,
                    brokenError(
                            commits == halfDecided ? FdbError.COMMIT_UNKNOWN_RESULT : FdbError.INTERNAL_ERROR, cause));
            return null;
        }
        try {
            return admitted(commits);
        } catch (RuntimeException | Error error) {
            // Neither allocates nor calls anything: there may be no memory and no stack left.
            halfDecided = commits;
            broken = error;
            throw error;
        }
    }

    /** Decides them once there is room for what they write. */
    private @Nullable CompletableFuture<?> admitted(List<Commit> commits) {
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
        try {
            long nanos = closing || waited != AdmissionControl.FULL_NANOS ? 0 : admission.delayNanos(bytes);
            if (nanos != 0) {
                return delayed(commits, bytes, nanos);
            }
            decideOrRefuse(commits, bytes);
        } catch (RuntimeException | Error error) {
            halfDecided = commits;
            broken = error;
            throw error;
        }
        decided.help();
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
            // Only the second actor may give a version back: the one before may still be under way.
            decided.leave(new Undecided(version));
            fail(commits, closed ? Engine.closedError() : asReported(error));
            return;
        }
        decided.leave(new Decided(batch, epoch));
    }

    private static void fail(List<Commit> commits, RuntimeException error) {
        commits.forEach(commit -> commit.commitCallback().failed(error));
    }

    private @Nullable CompletableFuture<?> settle(List<Message> messages) {
        Throwable cause = broken;
        if (cause != null) {
            refuse(messages, cause);
            return null;
        }
        try {
            return persistAndPublish(messages);
        } catch (RuntimeException | Error error) {
            halfSettled = messages;
            broken = error;
            throw error;
        }
    }

    private void refuse(List<Message> messages, Throwable cause) {
        RuntimeException failure = brokenError(FdbError.INTERNAL_ERROR, cause);
        whenBroken.accept(failure);
        RuntimeException ofDecided =
                messages == halfSettled ? brokenError(FdbError.COMMIT_UNKNOWN_RESULT, cause) : failure;
        for (Message message : messages) {
            if (message instanceof Decided each) {
                publisher.abandon(each.batch, ofDecided);
            } else if (message instanceof Arm arm) {
                arm.watch.fail(failure);
            } else if (message instanceof Close close) {
                closeStorage(close.done);
            }
        }
    }

    private @Nullable CompletableFuture<?> persistAndPublish(List<Message> messages) {
        List<Decided> toPersist = new ArrayList<>();
        for (Message message : messages) {
            if (message instanceof Decided each && !isLost(each)) {
                toPersist.add(each);
            }
        }
        if (toPersist.isEmpty()) {
            settleOthers(messages);
            return null;
        }
        CompletableFuture<?> persisted = persist(toPersist);
        if (persisted.isDone()) {
            finish(messages, toPersist, errorOf(persisted));
            return null;
        }
        return persisted.handle((done, error) -> {
            try {
                finish(messages, toPersist, error);
                return null;
            } catch (RuntimeException | Error thrown) {
                halfSettled = messages;
                broken = thrown;
                throw thrown;
            }
        });
    }

    private static @Nullable Throwable errorOf(CompletableFuture<?> done) {
        return done.handle((value, error) -> error).join();
    }

    private void finish(List<Message> messages, List<Decided> persisted, @Nullable Throwable error) {
        if (error == null) {
            persisted.forEach(each -> publisher.publish(each.batch));
        } else {
            lose(persisted, error);
        }
        settleOthers(messages);
    }

    /** Whatever goes wrong, every waiting commit gets an answer, and later decisions are dropped too. */
    private CompletableFuture<?> persist(List<Decided> batches) {
        try {
            return storage.persist(
                    batches.stream().map(each -> each.batch.toPersist()).toList());
        } catch (RuntimeException | Error error) {
            return CompletableFuture.failedFuture(error);
        }
    }

    /** Whether a batch cannot be persisted any more; if so, its commits get an answer. */
    private boolean isLost(Decided each) {
        boolean lost = closed || each.epoch == failedEpoch;
        if (lost) {
            publisher.abandon(each.batch, closed ? Engine.closedError() : failure);
        }
        return lost;
    }

    private void lose(List<Decided> batches, Throwable error) {
        failure = asReported(error);
        // Comes before any caller gets an answer, since a caller might try again at once.
        failedEpoch = batches.get(0).epoch;
        batches.forEach(each -> publisher.abandon(each.batch, failure));
    }

    private static RuntimeException asReported(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof FDBException known ? known : FdbError.IO_ERROR.exception(cause);
    }

    private void settleOthers(List<Message> messages) {
        for (Message message : messages) {
            if (message instanceof Undecided undecided) {
                versions.abandon(undecided.version);
            } else if (message instanceof Arm arm) {
                armOrFail(arm.watch);
            } else if (message instanceof Disarm disarm) {
                publisher.disarm(disarm.watch);
            } else if (message instanceof Close close) {
                closeStorage(close.done);
            }
        }
    }

    /** Not on a thread that only came to commit: closing takes long, and is not immune to interrupts. */
    private void closeStorage(CompletableFuture<@Nullable Void> done) {
        if (closed) {
            return;
        }
        closed = true;
        Completions.execute(
                () -> {
                    try {
                        // Reserved and never published, so that no read version is handed out beyond it either.
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
