package dev.couchjobs.fdb.internal.commit;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.VersionWindow;
import dev.couchjobs.fdb.internal.watches.Watch;
import dev.couchjobs.fdb.internal.watches.WatchTable;
import java.util.List;

/**
 * Publishes a durable batch: readers see the new contents, watches fire, and each transaction receives its result.
 * Used by one thread at a time.
 */
final class CommitPublisher {
    private final VersionWindow versions;
    private final WatchTable watches = new WatchTable();

    CommitPublisher(VersionWindow versions) {
        this.versions = versions;
    }

    /** Publishes before it answers commits, also refused ones, so that a caller that retries reads the new contents. */
    void publish(Decision.Batch batch) {
        Contents contents = batch.edit().contents();
        versions.publish(batch.version(), batch.edit());
        for (Decision decision : batch.decisions()) {
            if (decision.commits() && !watches.isEmpty()) {
                watches.fire(decision.commit().writes(), decision.stamp(), contents);
            }
        }
        for (Decision decision : batch.decisions()) {
            FDBException refusal = decision.refusal();
            if (refusal == null) {
                arm(decision.commit().watches());
                decision.commit().commitCallback().committed(decision.stamp());
            } else {
                decision.commit().commitCallback().failed(refusal);
            }
        }
    }

    /** Fails a batch that is not committed, or whose result is unknown. */
    void abandon(Decision.Batch batch, RuntimeException error) {
        versions.abandon(batch.version());
        for (Decision decision : batch.decisions()) {
            FDBException refusal = decision.refusal();
            decision.commit().commitCallback().failed(refusal == null ? error : refusal);
        }
    }

    void arm(List<Watch> added) {
        for (Watch watch : added) {
            try {
                watches.arm(watch, versions.newest().contents());
            } catch (StorageException error) {
                watch.fail(FdbError.IO_ERROR.exception(error));
            }
        }
    }

    void disarm(Watch watch) {
        watches.disarm(watch);
    }
}
