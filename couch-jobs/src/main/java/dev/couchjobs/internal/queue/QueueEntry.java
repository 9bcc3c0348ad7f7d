package dev.couchjobs.internal.queue;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row of a pending job in a queue. */
public final class QueueEntry {
    private final byte[] key;
    private final String jobId;
    private final int priority;
    private final long since;
    private final long scheduledTime;
    private final boolean due;
    /** The row directly before this one in the queue, if the same read returned it. */
    private @Nullable QueueEntry previous;

    /**
     * @param since the order of the jobs of one priority: milliseconds since the epoch
     * @param scheduledTime seconds since the epoch, 0 for none
     * @param due whether the row is in a due part of a queue
     */
    QueueEntry(byte[] key, String jobId, int priority, long since, long scheduledTime, boolean due) {
        this.key = key;
        this.jobId = jobId;
        this.priority = priority;
        this.since = since;
        this.scheduledTime = scheduledTime;
        this.due = due;
    }

    /** {@return the key of the row} */
    public byte[] key() {
        return key.clone();
    }

    /** {@return the id of the job} */
    public String jobId() {
        return jobId;
    }

    /** {@return the priority of the job} */
    public int priority() {
        return priority;
    }

    /** {@return the order of the job within its priority, in milliseconds since the epoch} */
    public long since() {
        return since;
    }

    /** {@return the scheduled time in seconds since the epoch, 0 for none} */
    public long scheduledTime() {
        return scheduledTime;
    }

    /** {@return whether the row is in a due part of a queue} */
    public boolean isDue() {
        return due;
    }

    /** {@return the row directly before this one in the queue, if the same read returned it} */
    Optional<QueueEntry> previous() {
        return Optional.ofNullable(previous);
    }

    /** Links rows that one read returned without a gap. */
    static void link(List<QueueEntry> consecutive) {
        for (int i = 1; i < consecutive.size(); i++) {
            consecutive.get(i).previous = consecutive.get(i - 1);
        }
    }

    /** {@return whether the job's own row agrees} */
    public boolean matches(JobRef ref, JobRow row) {
        return QueueIndex.key(ref, row)
                .filter(expected -> Arrays.equals(expected, key))
                .isPresent();
    }

    /** {@return what the row says} */
    JobIndex.Statement statement(TypeKeys keys) {
        JobRef ref = new JobRef(keys, jobId);
        return new JobIndex.Statement(ref, job -> matches(ref, job));
    }

    /** Removes this row, which does not match the row of its job. */
    public void clear(Transaction tx) {
        tx.clear(key);
    }
}
