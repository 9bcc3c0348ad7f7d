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

    /** Moves the row of a job, and returns whether the row is new, so that idle processes have to be woken. */
    static boolean replace(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        return moved(
                tx,
                ref,
                after,
                IndexKey.move(tx, unconditionalKey(ref, before, after), unconditionalKey(ref, after, before)));
    }

    private static boolean moved(Transaction tx, JobRef ref, @Nullable JobRow after, boolean isNew) {
        if (isNew && after != null && after.options().turnKey() != null) {
            TurnRequest.write(tx, new TurnKey(ref.keys(), after.options().turnKey()));
        }
        return isNew;
    }

    /** Writes the row of a job that was in quarantine, whose row in the queue may have been cleared. */
    static boolean restore(Transaction tx, JobRef ref, JobRow was, JobRow now) {
        return moved(tx, ref, now, IndexKey.move(tx, Optional.empty(), unconditionalKey(ref, now, was)));
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
            return ref.keys().pending(later.time(), ref.id());
        }
        // Priority 0 tells claims to move the job: its priority counts within its turn key.
        int priority = options.turnKey() == null ? options.priority() : 0;
        return ref.keys().rankedLater(later.time(), priority, ref.id());
    }

    private static byte[] due(JobRef ref, JobRow row) {
        JobOptions options = row.options();
        return due(ref, options.turnKey(), options.priority(), options.since(), row.scheduledTime());
    }

    /** {@return the key of a job that may run now} */
    static byte[] due(JobRef ref, @Nullable String turnKey, int priority, long since, long scheduledTime) {
        if (priority == 0 && turnKey == null) {
            return ref.keys().pending(scheduledTime, ref.id());
        }
        long age = scheduledTime == 0 ? since : since(scheduledTime);
        return turnKey == null
                ? ref.keys().ranked(priority, age, scheduledTime, ref.id())
                : ref.keys().rankedTurn(turnKey, priority, age, scheduledTime, ref.id());
    }

    /** {@return the order of a job with a scheduled time: that time, in milliseconds since the epoch} */
    public static long since(long scheduledTime) {
        return scheduledTime > Long.MAX_VALUE / 1_000 ? Long.MAX_VALUE : scheduledTime * 1_000;
    }
}
