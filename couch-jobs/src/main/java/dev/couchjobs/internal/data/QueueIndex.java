package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a pending job waits. Without a priority of its own it is in the pending queue of the RFC. With one it is in the
 * order of priorities, or, until its scheduled time has come, in an order of times beside it, so that no process that
 * looks for the highest priority has to pass over those that may not run yet. A job that waits for other jobs is
 * nowhere.
 */
final class QueueIndex {
    private QueueIndex() {}

    /** {@return whether this puts a job where it waits, so that those who look for jobs are to be woken} */
    static boolean replace(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        return IndexKey.move(tx, place(ref, before), place(ref, after));
    }

    static Optional<byte[]> place(JobRef ref, @Nullable JobRow row) {
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

    /** A job with a scheduled time is as old as that time, in milliseconds since the epoch. */
    static long since(long scheduledTime) {
        return scheduledTime > Long.MAX_VALUE / 1_000 ? Long.MAX_VALUE : scheduledTime * 1_000;
    }
}
