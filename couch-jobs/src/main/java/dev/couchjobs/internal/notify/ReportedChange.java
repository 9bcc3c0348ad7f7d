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
 * @param read gives the job's data, or throws if it could not be read, so that bad data hides no change
 */
record ReportedChange<D>(JobType<D, ?> type, String jobId, PendingChange change, Supplier<Optional<D>> read)
        implements JobEvent<D> {
    @Override
    public JobState state() {
        return change.state();
    }

    @Override
    public Optional<D> data() {
        return read.get();
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
