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
 * Decides which commits happen, and what the database looks like after them. All that have queued up share one version,
 * and their order in the batch is their order in history. It runs ahead of what is durable: a batch builds on the one
 * before it, whether or not that has been published. What a batch that fails has written goes on to count for
 * conflicts, which refuses a transaction that could have committed, but never the other way round. Used by one thread
 * at a time.
 */
final class Sequencer {
    private final VersionWindow versions;
    private final Storage storage;
    private final Resolver resolver = new Resolver();
    private Contents latest;
    /** Whether the resolver is not being changed just now. */
    private boolean intact = true;

    Sequencer(VersionWindow versions, Storage storage) {
        this.versions = versions;
        this.storage = storage;
        this.latest = versions.newest().data();
    }

    /** Decides them at a version reserved for them. */
    Decision.Batch decide(List<Commit> commits, long version) {
        if (!intact) {
            throw new IllegalStateException("A change of the conflict table was broken off");
        }
        resolver.forgetUpTo(version - Limits.WINDOW_VERSIONS);
        Edit edit = storage.edit(version, latest);
        List<Decision> decisions = new ArrayList<>(commits.size());
        for (int place = 0; place < commits.size(); place++) {
            Commit commit = commits.get(place);
            CommitStamp stamp = new CommitStamp(version, place);
            FdbError conflict = decide(commit, stamp);
            FDBException refusal = conflict == null
                    ? edit.apply(commit.writes(), commit.bytes(), stamp)
                    : conflict.exceptionWithoutTrace();
            decisions.add(new Decision(commit, stamp, refusal));
        }
        latest = edit.contents();
        return new Decision.Batch(version, edit, decisions);
    }

    /** Whether it can be used any more after {@link #decide} has thrown something. */
    boolean isIntact() {
        return intact;
    }

    /** Forgets what was decided but will not be published. */
    void startOver() {
        latest = versions.newest().data();
    }

    /** Null if the transaction commits, in which case its writes count from now on, also for the rest of the batch. */
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
