package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.internal.commit.Commit;
import dev.couchjobs.fdb.internal.commit.CommitReply;
import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.internal.common.Completions;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import dev.couchjobs.fdb.internal.watches.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The end of an attempt, and its listeners. Used under the lock of the {@link ClientTransaction}. */
final class AttemptCommit {
    private final Engine engine;
    private final Executor executor;
    private final TransactionAttempt attempt;

    AttemptCommit(Engine engine, Executor executor, TransactionAttempt attempt) {
        this.engine = engine;
        this.executor = executor;
        this.attempt = attempt;
    }

    boolean isReadOnly() {
        return attempt.writes().isEmpty() && attempt.writeConflicts().isEmpty();
    }

    /** A transaction that writes nothing has nothing to conflict with, and only its watches outlive it. */
    void finishReadOnly(CommitReply reply) {
        watches().forEach(engine.pipeline()::arm);
        failVersionstamps(FdbError.NO_COMMIT_VERSION);
        reply.succeedAtOnce();
    }

    Commit prepare(Commit.CommitCallback commitCallback) {
        if (attempt.settings().isReadOnly()) {
            throw FdbError.TRANSACTION_READ_ONLY.exception();
        }
        long size = attempt.commitSize();
        if (size > attempt.settings().sizeLimit()) {
            throw FdbError.TRANSACTION_TOO_LARGE.exception(
                    size + " of " + attempt.settings().sizeLimit() + " bytes");
        }
        return new Commit(
                readVersion(),
                attempt.readConflicts().ranges(),
                attempt.writeConflicts().ranges(),
                attempt.writes(),
                watches(),
                size,
                commitCallback);
    }

    void succeed(CommitReply reply, CommitStamp stamp) {
        for (CompletableFuture<byte[]> versionstamp : attempt.takeVersionstamps()) {
            Completions.execute(() -> versionstamp.complete(stamp.toBytes()), executor);
        }
        reply.succeed();
    }

    /**
     * FoundationDB's client does not get as far as asking for a stamp if one of its own reads has failed: those who
     * wait for it wait until the transaction ends.
     */
    void fail(CommitReply reply, RuntimeException error) {
        watches().forEach(watch -> watch.fail(error));
        if (!attempt.hasFailedRead()) {
            failVersionstamps(FdbError.TRANSACTION_INVALID_VERSION);
        }
        reply.fail(error);
    }

    /**
     * Ends what has not been committed; a commit under way may still happen, but its future is not completed with it.
     */
    void abandon(FDBException error) {
        attempt.end(error);
        CommitReply reply = attempt.commit();
        if (reply == null) {
            watches().forEach(watch -> watch.fail(error));
        } else {
            reply.fail(error);
        }
        for (CompletableFuture<byte[]> versionstamp : attempt.takeVersionstamps()) {
            Completions.fail(versionstamp, error, executor);
        }
    }

    /**
     * The version that the commit depends on. A commit without reads depends on none; FoundationDB's client takes a
     * read version for it nevertheless, and shows that afterwards.
     */
    private long readVersion() {
        boolean isIndependent =
                attempt.snapshotIfTaken() == null && attempt.readConflicts().isEmpty();
        Snapshot takenSnapshot = attempt.snapshotIfTaken();
        Snapshot snapshot = takenSnapshot == null ? attempt.snapshot() : takenSnapshot;
        return isIndependent ? Commit.NO_READ_VERSION : snapshot.version();
    }

    private List<Watch> watches() {
        List<Watch> watches = new ArrayList<>();
        attempt.watches().values().forEach(watches::addAll);
        return watches;
    }

    private void failVersionstamps(FdbError error) {
        for (CompletableFuture<byte[]> versionstamp : attempt.takeVersionstamps()) {
            Completions.fail(versionstamp, error.exception(), executor);
        }
    }
}
