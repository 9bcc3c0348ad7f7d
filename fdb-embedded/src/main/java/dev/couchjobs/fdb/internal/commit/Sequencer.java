package dev.couchjobs.fdb.internal.commit;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.Limits;
import dev.couchjobs.fdb.internal.storage.Storage;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Edit;
import dev.couchjobs.fdb.internal.versions.VersionWindow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which commits succeed, and computes the contents after them. The commits of a batch share one version, and
 * their order in the batch is their serial order. The sequencer runs ahead of the storage: a batch builds on the
 * previous one, whether or not that is published. The writes of a failed batch still count as conflicts, so a
 * transaction may be refused that could have committed, but never the reverse. Used by one thread at a time.
 */
final class Sequencer {
    private final VersionWindow versions;
    private final Storage storage;
    private final Resolver resolver = new Resolver();
    private Contents latestContents;
    /** False while the resolver is being changed. */
    private boolean intact = true;

    Sequencer(VersionWindow versions, Storage storage) {
        this.versions = versions;
        this.storage = storage;
        this.latestContents = versions.newest().contents();
    }

    /** Decides the commits at a version reserved for them. */
    Decision.Batch decide(List<Commit> commits, long version) {
        if (!intact) {
            throw new IllegalStateException("A change of the conflict table was broken off");
        }
        resolver.evictUpTo(version - Limits.WINDOW_VERSIONS);
        Edit edit = storage.edit(version, latestContents);
        List<Decision> decisions = new ArrayList<>(commits.size());
        for (int index = 0; index < commits.size(); index++) {
            Commit commit = commits.get(index);
            CommitStamp stamp = new CommitStamp(version, index);
            FdbError conflict = decide(commit, stamp);
            FDBException refusal = conflict == null
                    ? edit.apply(commit.writes(), commit.bytes(), stamp)
                    : conflict.exceptionWithoutTrace();
            decisions.add(new Decision(commit, stamp, refusal));
        }
        latestContents = edit.contents();
        return new Decision.Batch(version, edit, decisions);
    }

    /** Whether the sequencer can be used after {@link #decide} has thrown. */
    boolean isIntact() {
        return intact;
    }

    /** Discards decided batches that will not be published. */
    void startOver() {
        latestContents = versions.newest().contents();
    }

    /** Returns null if the transaction commits; its writes then conflict with later commits, also of the same batch. */
    private @Nullable FdbError decide(Commit commit, CommitStamp stamp) {
        long readVersion = commit.readVersion();
        if (readVersion != Commit.NO_READ_VERSION && readVersion < stamp.version() - Limits.WINDOW_VERSIONS) {
            return FdbError.TRANSACTION_TOO_OLD;
        }
        if (resolver.conflicts(commit.reads(), readVersion)) {
            return FdbError.NOT_COMMITTED;
        }
        List<byte[]> stampedKeys = commit.writes().stampedKeys(stamp);
        intact = false;
        resolver.recordWrites(commit.conflictingWrites(), stamp.version());
        for (byte[] key : stampedKeys) {
            resolver.recordKey(key, stamp.version());
        }
        intact = true;
        return null;
    }
}
