package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A change as a subscriber receives it.
 *
 * @param readData returns the job's data, or throws if it could not be read: bad data does not hide a change
 */
record ReportedChange<D>(JobType<D, ?> type, String jobId, PendingChange change, Supplier<Optional<D>> readData)
        implements JobEvent<D> {
    @Override
    public JobState state() {
        return change.state();
    }

    @Override
    public Optional<D> data() {
        return readData.get();
    }

    @Override
    public Versionstamp sequence() {
        return change.sequence();
    }

    @Override
    public String toString() {
        return "JobEvent[" + type + "/" + jobId + " " + state() + " at " + sequence() + "]";
    }
}
