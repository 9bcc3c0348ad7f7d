package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of a job's {@code data} row: RFC 007's {@code (Sequence, JobLock, ScheduledTime, Resubmit, JobData)}, and
 * behind it the lock of the claim that last finished the job.
 *
 * <p>The state follows from the first two elements: a lock means running; without one, the sequence is 0 for pending and
 * null for finished.
 *
 * @param state pending, running or finished
 * @param sequence of a running job, the commit in which its processor was last heard of; incomplete while that commit is
 *     still to come
 * @param lock of a running job, the lock of its claim
 * @param scheduledTime seconds since the epoch, 0 for none
 * @param resubmit whether a running job is to be pending again when it is finished
 * @param payload the job's data
 * @param finishedBy the lock of the claim that finished the job, until somebody claims it again, so that a finish that is
 *     tried twice is recognised
 */
public record JobRow(
        JobState state,
        @Nullable Versionstamp sequence,
        @Nullable UUID lock,
        long scheduledTime,
        boolean resubmit,
        Payload payload,
        @Nullable UUID finishedBy) {

    private static final Versionstamp NEXT_COMMIT = Versionstamp.incomplete();
    private static final int RFC_ELEMENTS = 5;

    /** {@return the row of a new job} */
    public static JobRow added(Payload payload, long scheduledTime) {
        return new JobRow(JobState.PENDING, null, null, scheduledTime, false, payload, null);
    }

    /** {@return this job waiting to run} */
    public JobRow enqueued(Payload payload, long scheduledTime) {
        return new JobRow(JobState.PENDING, null, null, scheduledTime, false, payload, finishedBy);
    }

    /** {@return this running job taken from its holder and waiting again, as it was} */
    public JobRow putBack() {
        return enqueued(payload, scheduledTime);
    }

    /** {@return this job claimed with a lock} */
    public JobRow claimed(UUID lock) {
        return new JobRow(JobState.RUNNING, NEXT_COMMIT, lock, scheduledTime, false, payload, null);
    }

    /** {@return this running job heard of again} */
    public JobRow heardOf(Payload payload) {
        return new JobRow(state, NEXT_COMMIT, lock, scheduledTime, resubmit, payload, finishedBy);
    }

    /** {@return this running job, to be pending again when it is finished; not a sign of life} */
    public JobRow flagged(long scheduledTime) {
        return new JobRow(state, sequence, lock, scheduledTime, true, payload, finishedBy);
    }

    /** {@return this running job finished by its holder: pending again if it was flagged} */
    public JobRow finished(Payload payload) {
        JobState next = resubmit ? JobState.PENDING : JobState.FINISHED;
        return new JobRow(next, null, null, scheduledTime, false, payload, lock);
    }

    /** {@return whether the job runs under this lock} */
    public boolean isHeldBy(UUID claim) {
        return claim.equals(lock);
    }

    /** {@return whether that claim finished the job and nobody has claimed it since} */
    public boolean wasLastHeldBy(UUID claim) {
        return lock == null && claim.equals(finishedBy);
    }

    boolean awaitsCommit() {
        return sequence != null && !sequence.isComplete();
    }

    JobRow stamped(int userVersion) {
        return awaitsCommit()
                ? new JobRow(
                        state, Versionstamp.incomplete(userVersion), lock, scheduledTime, resubmit, payload, finishedBy)
                : this;
    }

    /** Whether two rows differ in anything but when the processor was last heard of. */
    boolean differsFrom(JobRow other) {
        return state != other.state
                || scheduledTime != other.scheduledTime
                || resubmit != other.resubmit
                || payload != other.payload;
    }

    /** The value, with a placeholder in front if it awaits its commit. */
    Tuple encode() {
        Tuple value = new Tuple();
        if (sequence != null) {
            value = value.add(sequence.isComplete() ? sequence : Stamps.placeholder(sequence.getUserVersion()));
        } else if (state == JobState.PENDING) {
            value = value.add(0L);
        } else {
            value = value.addObject(null);
        }
        return value.addObject(lock)
                .add(scheduledTime)
                .add(resubmit)
                .addObject(payload.element())
                .addObject(finishedBy);
    }

    static JobRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        Object sequence = row.get(0);
        UUID lock = row.getUUID(1);
        JobState idle = sequence == null ? JobState.FINISHED : JobState.PENDING;
        return new JobRow(
                lock != null ? JobState.RUNNING : idle,
                sequence instanceof Versionstamp stamp ? stamp : null,
                lock,
                row.getLong(2),
                row.getBoolean(3),
                Payload.ofElement(row.get(4)),
                row.size() > RFC_ELEMENTS ? row.getUUID(RFC_ELEMENTS) : null);
    }
}
