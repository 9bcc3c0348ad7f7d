package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the row of a pending job in its queue. A job with priority 0 is in the pending queue of the RFC. Any other job
 * is in the ranked queue: in its due part, or until its scheduled time in its later part, so that a process that reads
 * the highest priority does not read jobs that may not run yet. A blocked job is in no queue.
 */
final class QueueIndex {
    private QueueIndex() {}

    /** Moves the row of a job, and returns whether the row is new, so that idle processes have to be woken. */
    static boolean replace(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        return IndexKey.move(tx, key(ref, before), key(ref, after));
    }

    static Optional<byte[]> key(JobRef ref, @Nullable JobRow row) {
        if (row == null || row.state() != JobState.PENDING || row.options().blocked()) {
            return Optional.empty();
        }
        long time = row.scheduledTime();
        JobOptions options = row.options();
        if (options.priority() == 0) {
            return Optional.of(ref.keys().pending(time, ref.id()));
        }
        return Optional.of(
                time == 0 || options.due()
                        ? ref.keys()
                                .ranked(options.priority(), time == 0 ? options.since() : since(time), time, ref.id())
                        : ref.keys().rankedLater(time, options.priority(), ref.id()));
    }

    /** {@return the order of a job with a scheduled time: that time, in milliseconds since the epoch} */
    static long since(long scheduledTime) {
        return scheduledTime > Long.MAX_VALUE / 1_000 ? Long.MAX_VALUE : scheduledTime * 1_000;
    }
}
