package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import java.util.Arrays;

/** A row that says where a job waits. */
public final class QueueEntry {
    private final byte[] key;
    private final String jobId;
    private final int priority;
    private final long since;
    private final long scheduledTime;
    private final boolean due;

    /**
     * @param since by what the jobs of one priority are in order: milliseconds since the epoch
     * @param scheduledTime seconds since the epoch, 0 for none
     * @param due whether it is where the job belongs once its scheduled time has come
     */
    QueueEntry(byte[] key, String jobId, int priority, long since, long scheduledTime, boolean due) {
        this.key = key;
        this.jobId = jobId;
        this.priority = priority;
        this.since = since;
        this.scheduledTime = scheduledTime;
        this.due = due;
    }

    /** {@return its key} */
    public byte[] key() {
        return key.clone();
    }

    /** {@return the job that waits} */
    public String jobId() {
        return jobId;
    }

    /** {@return its priority} */
    public int priority() {
        return priority;
    }

    /** {@return what comes first among jobs of one priority, in milliseconds since the epoch} */
    public long since() {
        return since;
    }

    /** {@return its scheduled time in seconds since the epoch, 0 for none} */
    public long scheduledTime() {
        return scheduledTime;
    }

    /** {@return whether the job is where it belongs once its scheduled time has come} */
    public boolean isDue() {
        return due;
    }

    /** {@return whether the job's own row says the same} */
    public boolean matches(JobRef ref, JobRow row) {
        return QueueIndex.place(ref, row)
                .filter(place -> Arrays.equals(place, key))
                .isPresent();
    }

    /** Removes this row, which does not match the row of its job. */
    public void clear(Transaction tx) {
        tx.clear(key);
    }
}
