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
 * Publishes a durable batch: readers see the new state, watches fire, and each transaction receives its result.
 * Used by one thread at a time.
 */
final class CommitPublisher {
    private final VersionWindow versions;
    private final WatchTable watches = new WatchTable();

    CommitPublisher(VersionWindow versions) {
        this.versions = versions;
    }

    /** Publishes before it answers even refused commits, so that a caller that tries again does so on the new state. */
    void publish(Decision.Batch batch) {
        Contents data = batch.edit().contents();
        versions.publish(batch.version(), batch.edit());
        for (Decision each : batch.decisions()) {
            if (each.commits() && !watches.isEmpty()) {
                each.commit().writes().touched(each.stamp()).forEach(range -> watches.fire(range, data));
            }
        }
        for (Decision each : batch.decisions()) {
            FDBException refusal = each.refusal();
            if (refusal == null) {
                arm(each.commit().watches());
                each.commit().commitCallback().committed(each.stamp());
            } else {
                each.commit().commitCallback().failed(refusal);
            }
        }
    }

    /** The batch is not committed, or it is not known whether it is. */
    void abandon(Decision.Batch batch, RuntimeException error) {
        versions.abandon(batch.version());
        for (Decision each : batch.decisions()) {
            FDBException refusal = each.refusal();
            each.commit().commitCallback().failed(refusal == null ? error : refusal);
        }
    }

    void arm(List<Watch> added) {
        for (Watch watch : added) {
            try {
                watches.arm(watch, versions.newest().data());
            } catch (StorageException error) {
                watch.fail(FdbError.IO_ERROR.exception(error));
            }
        }
    }

    void disarm(Watch watch) {
        watches.disarm(watch);
    }
}
