package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.verbs.PayloadCodec;
import java.util.Optional;

/** A change as a subscriber is told of it; decodes its data when asked, so that bad data hides no change. */
record ReportedChange<D>(JobType<D, ?> type, String jobId, Change change, PayloadCodec codec) implements JobEvent<D> {
    @Override
    public JobState state() {
        return change.state();
    }

    @Override
    public Optional<D> data() {
        return change.json().map(json -> codec.decode(type, jobId, json));
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
