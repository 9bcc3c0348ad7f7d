package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;

/**
 * A change on its way to a subscriber. It holds none of the job's data, so that changes that wait to be taken are
 * small.
 *
 * @param sequence the commit that made it, or the version at which the state was read
 * @param state what the job became
 */
record PendingChange(Versionstamp sequence, JobState state) {}
