package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.FDBException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The one way in which the database changes. A commit passes two actors: the first decides, the second has what was
 * decided made durable and then makes it known. While the second waits for the storage, the first goes on deciding, and
 * all that it has decided by then is persisted at once: the slower the storage, the more commits share its work.
 *
 * <p>A batch that cannot be persisted takes along all that was decided on top of it; the first actor then starts over
 * from what has been published.
 */
final class CommitPipeline {
    /** A stamp has two bytes for the place in the batch. */
    private static final int BATCH_LIMIT = 1 << 14;

    /** To the second actor, in the order in which it matters. */
    private sealed interface Message {}

    /** {@code epoch} counts how often the first actor has started over. */
    private record Decided(Decision.Batch batch, long epoch) implements Message {}

    private record Arm(Watch watch) implements Message {}

    private record Disarm(Watch watch) implements Message {}

    private record Close(CompletableFuture<@Nullable Void> done) implements Message {}

    private final VersionWindow versions;
    private final Storage storage;
    private final Sequencer sequencer;
    private final Publisher publisher;
    private final Mailbox<Commit> undecided;
    private final Mailbox<Message> decided;
    /** Written by the first actor. */
    private long epoch;
    /** Written by the second actor: the epoch whose batches have failed, or -1. */
    private volatile long failedEpoch = -1;
    /** Why they have. */
    private RuntimeException failure = Engine.closedError();

    private volatile boolean closed;

    CommitPipeline(VersionWindow versions, Storage storage, Executor executor) {
        this.versions = versions;
        this.storage = storage;
        this.sequencer = new Sequencer(versions, storage);
        this.publisher = new Publisher(versions);
        this.decided = new Mailbox<>(executor, BATCH_LIMIT, this::settle);
        this.undecided =
                new Mailbox<>(executor, BATCH_LIMIT, this::decide, storage.blocks() ? decided::wake : decided::help);
    }

    void submit(Commit commit) {
        undecided.post(commit);
    }

    /** For a thread that calls {@link #help} next and then blocks: that spares it the way to another thread and back. */
    void submitToHelp(Commit commit) {
        undecided.leave(commit);
    }

    void help() {
        undecided.help();
    }

    /** For a transaction that commits without passing through here, because it writes nothing. */
    void arm(Watch watch) {
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

    private @Nullable CompletableFuture<?> decide(List<Commit> commits) {
        if (failedEpoch == epoch) {
            epoch++;
            sequencer.startOver();
        }
        try {
            if (closed) {
                throw Engine.closedError();
            }
            decided.leave(new Decided(sequencer.decide(commits), epoch));
        } catch (RuntimeException error) {
            RuntimeException told = closed ? Engine.closedError() : toldAs(error);
            commits.forEach(commit -> commit.outcome().failed(told));
        }
        return null;
    }

    private @Nullable CompletableFuture<?> settle(List<Message> messages) {
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
        CompletableFuture<?> persisted = storage.persist(
                toPersist.stream().map(each -> each.batch.toPersist()).toList());
        CompletableFuture<?> settled = persisted.whenComplete((done, error) -> {
            if (error == null) {
                toPersist.forEach(each -> publisher.publish(each.batch));
            } else {
                lose(toPersist, error);
            }
            settleOthers(messages);
        });
        return settled.isDone() ? null : settled;
    }

    /** Whether a batch cannot be persisted any more; if so, those who wait for it are told. */
    private boolean isLost(Decided each) {
        boolean lost = closed || each.epoch == failedEpoch;
        if (lost) {
            publisher.abandon(each.batch, closed ? Engine.closedError() : failure);
        }
        return lost;
    }

    private void lose(List<Decided> batches, Throwable error) {
        failure = toldAs(error);
        batches.forEach(each -> publisher.abandon(each.batch, failure));
        failedEpoch = batches.get(0).epoch;
    }

    private static RuntimeException toldAs(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof FDBException known ? known : FdbError.IO_ERROR.exception(cause);
    }

    private void settleOthers(List<Message> messages) {
        for (Message message : messages) {
            if (message instanceof Arm arm) {
                armOrFail(arm.watch);
            } else if (message instanceof Disarm disarm) {
                publisher.disarm(disarm.watch);
            } else if (message instanceof Close close) {
                closeStorage(close.done);
            }
        }
    }

    private void closeStorage(CompletableFuture<@Nullable Void> done) {
        closed = true;
        try {
            storage.close(versions.newest().version());
            done.complete(null);
        } catch (RuntimeException error) {
            done.completeExceptionally(error);
        }
    }

    private void armOrFail(Watch watch) {
        if (closed) {
            watch.fail(Engine.closedError());
        } else {
            publisher.arm(List.of(watch));
        }
    }
}
