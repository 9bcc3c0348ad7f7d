package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.internal.commit.CommitReply;
import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.ConflictRanges;
import dev.couchjobs.fdb.internal.keys.RangeSet;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import dev.couchjobs.fdb.internal.watches.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One try of a transaction: everything that {@code onError} throws away. Guarded by the lock of its
 * {@link ClientTransaction}; what a commit took along is no longer changed.
 */
final class TransactionAttempt {
    /** FoundationDB counts its own bookkeeping for each conflict range. */
    static final int RANGE_OVERHEAD_BYTES = 24;

    private final Engine engine;
    private final TransactionSettings settings;
    private final WriteBuffer writes = new WriteBuffer();
    private final ConflictRanges readConflicts = new ConflictRanges();
    private final RangeSet conflictsAdded = new RangeSet();
    private final ConflictRanges writeConflicts = new ConflictRanges();
    private final NavigableMap<byte[], List<Watch>> watches = new TreeMap<>(Bytes.ORDER);
    private final List<CompletableFuture<byte[]>> versionstamps = new ArrayList<>();

    private @Nullable Snapshot snapshot;
    private boolean used;
    private long approximateSize;
    /** What a write or an option did wrong: the call itself returns, and all that follows fails. */
    private @Nullable FDBException poison;
    /**
     * A read that met what it may not see: other reads go on, but the commit, which waits for all reads, fails with it.
     */
    private @Nullable FDBException failedRead;
    /** Why this attempt is over before its commit: cancelled, closed, or timed out. */
    private @Nullable FDBException ended;

    private @Nullable CommitReply commit;

    TransactionAttempt(Engine engine, TransactionSettings settings) {
        this.engine = engine;
        this.settings = settings;
    }

    TransactionSettings settings() {
        return settings;
    }

    WriteBuffer writes() {
        return writes;
    }

    ConflictRanges readConflicts() {
        return readConflicts;
    }

    /** Where all that depends on the database is among the read conflicts: own writes only ever make that less. */
    RangeSet conflictsAdded() {
        return conflictsAdded;
    }

    ConflictRanges writeConflicts() {
        return writeConflicts;
    }

    NavigableMap<byte[], List<Watch>> watches() {
        return watches;
    }

    void awaitVersionstamp(CompletableFuture<byte[]> versionstamp) {
        versionstamps.add(versionstamp);
    }

    /** The futures of the versionstamp, each to be completed once. */
    List<CompletableFuture<byte[]>> takeVersionstamps() {
        if (versionstamps.isEmpty()) {
            return List.of();
        }
        List<CompletableFuture<byte[]>> waiting = List.copyOf(versionstamps);
        versionstamps.clear();
        return waiting;
    }

    /** Fails if an earlier mistake, a commit or an end forbids to go on. */
    void checkUsable() {
        checkNotPoisoned();
        checkNotCommitting();
        checkNotEnded();
    }

    void checkNotPoisoned() {
        if (poison != null) {
            throw poison;
        }
        engine.checkOpen();
    }

    /** Holds after the commit as well: a transaction is used up by it. */
    void checkNotCommitting() {
        if (commit != null) {
            throw FdbError.USED_DURING_COMMIT.exception();
        }
    }

    void checkNotEnded() {
        if (ended != null) {
            throw ended;
        }
    }

    boolean isPoisoned() {
        return poison != null;
    }

    void poison(FDBException error) {
        poison = error;
    }

    void readFailed(FDBException error) {
        if (error.getCode() == FdbError.ACCESSED_UNREADABLE.code()) {
            failedRead = error;
        }
    }

    boolean hasFailedRead() {
        return failedRead != null;
    }

    void checkReadsSucceeded() {
        if (failedRead != null) {
            throw failedRead;
        }
    }

    @Nullable FDBException ended() {
        return ended;
    }

    void end(FDBException error) {
        if (ended == null) {
            ended = error;
        }
    }

    @Nullable CommitReply commit() {
        return commit;
    }

    /** Whether all futures of its end have been completed. */
    boolean isSettled() {
        return commit != null && commit.isAnswered() && versionstamps.isEmpty();
    }

    void startCommit(CommitReply reply) {
        commit = reply;
    }

    /** The snapshot that all reads of this attempt share, taken by the first. */
    Snapshot snapshot() {
        if (snapshot == null) {
            snapshot = engine.versions().latest();
        } else {
            engine.checkOpen();
        }
        return snapshot;
    }

    /**
     * Fails if the snapshot has left the window, or the engine has closed. Follows each read: a storage only vouches
     * for what was read while the snapshot was within.
     */
    void checkWindow() {
        engine.checkOpen();
        if (snapshot != null && engine.versions().isTooOld(snapshot.version())) {
            throw FdbError.TRANSACTION_TOO_OLD.exception();
        }
    }

    /** Unlike {@link #snapshot} it neither takes one nor minds its age. */
    @Nullable Snapshot snapshotIfTaken() {
        return snapshot;
    }

    void readAt(long version) {
        if (snapshot != null) {
            throw FdbError.READ_VERSION_ALREADY_SET.exception();
        }
        if (version <= 0) {
            throw FdbError.VERSION_INVALID.exception(Long.toString(version));
        }
        snapshot = engine.versions().at(version);
    }

    /** From the first read or write on it is too late to switch off read-your-writes. */
    void markUsed() {
        used = true;
    }

    boolean isUsed() {
        return used || !writes.isEmpty();
    }

    void addSize(long bytes) {
        approximateSize += bytes;
    }

    long approximateSize() {
        return approximateSize;
    }

    /** What the commit would send to a cluster. */
    long commitSize() {
        return writes.bytes() + readConflicts.bytes(RANGE_OVERHEAD_BYTES) + writeConflicts.bytes(RANGE_OVERHEAD_BYTES);
    }
}
