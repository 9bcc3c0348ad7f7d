package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
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

    /** A row of a job that was in quarantine may have been cleared, and is written in any case. */
    private static boolean move(Transaction tx, SavedChange change) {
        JobRef ref = change.ref();
        JobRow before = change.origin() == SavedChange.Origin.DEQUEUED ? null : change.before();
        JobRow after = change.after();
        Optional<byte[]> from = change.isRestored() ? Optional.empty() : unconditionalKey(ref, before, after);
        boolean isNew = IndexKey.move(tx, from, unconditionalKey(ref, after, before));
        if (isNew && after != null && after.options().turnKey() != null) {
            TurnRequest.write(tx, new TurnKey(ref.keys(), after.options().turnKey()));
        }
        return isNew;
    }

    /** {@return the key to write or clear at once; empty if the end of the verb decides, see {@link LimitedJob}} */
    private static Optional<byte[]> unconditionalKey(JobRef ref, @Nullable JobRow row, @Nullable JobRow other) {
        return row != null && LimitedJob.isDue(row) && !(other != null && LimitedJob.isRunning(other))
                ? Optional.empty()
                : key(ref, row);
    }

    /** {@return the key of a job in a queue from which processes claim, once it is admitted if it has a limit key} */
    static Optional<byte[]> key(JobRef ref, @Nullable JobRow row) {
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
    static byte[] due(JobRef ref, @Nullable String turnKey, int priority, long since, long scheduledTime) {
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
