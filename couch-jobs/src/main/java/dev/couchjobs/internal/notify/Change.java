package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import java.util.Optional;

/**
 * A change on its way to a subscriber.
 *
 * @param sequence the commit that made it
 * @param state what the job became
 * @param json the job's data when the change was read, if there still was such a job
 */
record Change(Versionstamp sequence, JobState state, Optional<byte[]> json) {}
