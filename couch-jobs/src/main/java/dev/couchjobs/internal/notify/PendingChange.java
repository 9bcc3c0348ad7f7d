package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;

/**
 * A change that a subscriber has not received as an event. It is small, because it holds no data of the job.
 *
 * @param sequence the versionstamp of the change, or the version at which the state was read
 * @param state the job's state after the change
 */
record PendingChange(Versionstamp sequence, JobState state) {}
