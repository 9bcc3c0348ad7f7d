package dev.couchjobs.internal.queue;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobOptions;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.IndexKey;
import dev.couchjobs.internal.rows.JobRef;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the row of a pending job in its queue. A job with priority 0 is in the pending queue of the RFC. Any other job
 * is in the ranked queue: in its due part, or until its scheduled time in its later part, so that a process that reads
 * the highest priority does not read jobs that may not run yet. A blocked job is in no queue.
 *
 * <p>A job with a limit key or a turn key is in the later part of the ranked queue until its scheduled time, whatever
 * its priority. From then on a job with a limit key waits in the limited queue until it is admitted, and a job with a
 * turn key is in the turn part of the ranked queue.
 */
public final class QueueIndex {
    private QueueIndex() {}

    /** Moves the rows of jobs, and wakes idle processes if one is new. */
    public static void write(Changes changes) {
        boolean isAnyNew = false;
        for (SavedChange change : changes.all()) {
            isAnyNew |= move(changes.tx(), change);
        }
        if (isAnyNew) {
            IncompleteVersionstamps.touch(
                    changes.tx(), QueueKeys.of(changes.keys()).watchesPending(), changes.userVersion());
        }
    }

    /** Moves the row of a job, and returns whether it is new. */
    private static boolean move(Transaction tx, SavedChange change) {
        return IndexKey.move(tx, from(change), to(change));
    }

    /** {@return whether a change gives a job a row in a queue that it did not have} */
    public static boolean isNew(SavedChange change) {
        Optional<byte[]> to = to(change);
        return to.isPresent()
                && from(change).filter(key -> Arrays.equals(key, to.get())).isEmpty();
    }

    /** A row of a job that was in quarantine may have been cleared, and is written in any case. */
    private static Optional<byte[]> from(SavedChange change) {
        return change.isRestored() ? Optional.empty() : unconditionalKey(change.ref(), queued(change), change.after());
    }

    private static Optional<byte[]> to(SavedChange change) {
        return unconditionalKey(change.ref(), change.after(), queued(change));
    }

    /** {@return the row before, unless its row in the queue is gone} */
    private static @Nullable JobRow queued(SavedChange change) {
        return change.origin() == SavedChange.Origin.DEQUEUED ? null : change.before();
    }

    /** {@return the key to write or clear at once; empty if the end of the verb decides, because of a limit key} */
    private static Optional<byte[]> unconditionalKey(JobRef ref, @Nullable JobRow row, @Nullable JobRow other) {
        return row != null && isDueAndLimited(row) && !(other != null && isRunningAndLimited(other))
                ? Optional.empty()
                : key(ref, row);
    }

    private static boolean isDueAndLimited(JobRow row) {
        return Standing.of(row) instanceof Standing.Due due && due.limitKey() != null;
    }

    private static boolean isRunningAndLimited(JobRow row) {
        return Standing.of(row) instanceof Standing.Running running && running.limitKey() != null;
    }

    /** {@return the key of a job in a queue from which processes claim, once it is admitted if it has a limit key} */
    public static Optional<byte[]> key(JobRef ref, @Nullable JobRow row) {
        return row == null
                ? Optional.empty()
                : Standing.of(row)
                        .match(
                                blocked -> Optional.empty(),
                                later -> Optional.of(later(ref, row.options(), later)),
                                due -> Optional.of(due(ref, row)),
                                running -> Optional.empty(),
                                ended -> Optional.empty());
    }

    private static byte[] later(JobRef ref, JobOptions options, Standing.Later later) {
        if (!later.isRanked()) {
            return QueueKeys.of(ref.keys()).pending(later.time(), ref.id());
        }
        // Priority 0 tells claims to move the job: its priority counts within its turn key.
        int priority = options.turnKey() == null ? options.priority() : 0;
        return QueueKeys.of(ref.keys()).rankedLater(later.time(), priority, ref.id());
    }

    private static byte[] due(JobRef ref, JobRow row) {
        JobOptions options = row.options();
        return due(ref, options.turnKey(), options.priority(), options.since(), row.scheduledTime());
    }

    /** {@return the key of a job that may run now} */
    public static byte[] due(JobRef ref, @Nullable String turnKey, int priority, long since, long scheduledTime) {
        if (priority == 0 && turnKey == null) {
            return QueueKeys.of(ref.keys()).pending(scheduledTime, ref.id());
        }
        long age = scheduledTime == 0 ? since : since(scheduledTime);
        return turnKey == null
                ? QueueKeys.of(ref.keys()).ranked(priority, age, scheduledTime, ref.id())
                : QueueKeys.of(ref.keys()).rankedTurn(turnKey, priority, age, scheduledTime, ref.id());
    }

    /** {@return the order of a job with a scheduled time: that time, in milliseconds since the epoch} */
    public static long since(long scheduledTime) {
        return scheduledTime > Long.MAX_VALUE / 1_000 ? Long.MAX_VALUE : scheduledTime * 1_000;
    }
}
