package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of a job's {@code data} row: RFC 007's {@code (Sequence, JobLock, ScheduledTime, Resubmit, JobData)}, and
 * behind it the lock of the claim that last ended, and what goes beyond the RFC, each in a tuple of its own.
 *
 * <p>The state follows from the first two elements: a lock means running; without one, the sequence is 0 for pending
 * and null for finished.
 *
 * @param state pending, running or finished
 * @param sequence of a running job, the commit of its last heartbeat; incomplete while that commit
 *     is still to come
 * @param lock of a running job, the lock of its claim
 * @param scheduledTime seconds since the epoch, 0 for none
 * @param resubmit whether a running job is to be pending again when it is finished
 * @param payload the job's data
 * @param finishedBy the lock of the claim that last ended, until the job is claimed again, so that a finish that is
 *     tried twice is recognised
 * @param options what its creator asked for beyond the RFC
 * @param claimInfo the present or the last claim
 * @param claimEnd how the last claim ended, if one has
 */
public record JobRow(
        JobState state,
        @Nullable Versionstamp sequence,
        @Nullable UUID lock,
        long scheduledTime,
        boolean resubmit,
        Payload payload,
        @Nullable UUID finishedBy,
        JobOptions options,
        ClaimInfo claimInfo,
        @Nullable ClaimEnd claimEnd) {

    private static final Versionstamp NEXT_COMMIT = Versionstamp.incomplete();
    private static final int RFC_ELEMENTS = 5;
    private static final int JOB_OPTIONS = 6;
    private static final int CLAIM_INFO = 7;
    private static final int ENDING = 8;

    /** {@return the row of a new job} */
    public static JobRow added(Payload payload, long scheduledTime, JobOptions options) {
        return waiting(payload, scheduledTime, null, options, ClaimInfo.NONE, null);
    }

    private static JobRow waiting(
            Payload payload,
            long scheduledTime,
            @Nullable UUID finishedBy,
            JobOptions options,
            ClaimInfo claimInfo,
            @Nullable ClaimEnd claimEnd) {
        return new JobRow(
                JobState.PENDING,
                null,
                null,
                scheduledTime,
                false,
                payload,
                finishedBy,
                options.due(false),
                claimInfo,
                claimEnd == null ? null : claimEnd.ofClaim());
    }

    /** {@return this job waiting to run as if it were new, but for its history} */
    public JobRow enqueued(Payload payload, long scheduledTime) {
        return waiting(payload, scheduledTime, finishedBy, options, claimInfo.fresh(), claimEnd);
    }

    /** {@return this job with other terms} */
    public JobRow on(JobOptions options) {
        return new JobRow(
                state, sequence, lock, scheduledTime, resubmit, payload, finishedBy, options, claimInfo, claimEnd);
    }

    /** {@return this job with other data} */
    public JobRow with(Payload payload) {
        return new JobRow(
                state, sequence, lock, scheduledTime, resubmit, payload, finishedBy, options, claimInfo, claimEnd);
    }

    /** {@return this waiting job moved to its place in the order of priorities, because its scheduled time has come} */
    public JobRow dueNow() {
        return on(options.due(true));
    }

    /** {@return this running job, with something written down that goes with it; not a sign of life} */
    JobRow logging() {
        return new JobRow(
                state,
                sequence,
                lock,
                scheduledTime,
                resubmit,
                payload,
                finishedBy,
                options,
                claimInfo.logging(),
                claimEnd);
    }

    /**
     * {@return this running job as its holder writes it} In a transaction of the caller's, which must not conflict with
     * heartbeats, that is a sign of life: a row that keeps its sequence must not be written over a heartbeat.
     */
    public JobRow writtenByHolder(boolean joined) {
        return joined ? renewed(payload) : this;
    }

    /** {@return this job tied otherwise to others} */
    public JobRow withDependencies(DependencyState dependencies) {
        return on(options.withDependencies(dependencies));
    }

    /** {@return whether the job waits for others} */
    public boolean isBlocked() {
        return state == JobState.PENDING && options.blocked();
    }

    /**
     * {@return this running job taken from a holder who went silent, and waiting again: as if new if it was flagged}
     */
    public JobRow requeued(long now, long scheduledTime) {
        ClaimEnd expired = ClaimEnd.of(AttemptEnd.EXPIRED, now, null);
        return waiting(payload, scheduledTime, null, options, freshIfFlagged(claimInfo.expired()), expired);
    }

    /**
     * {@return this running job given back by its holder, and waiting again: as if new if it was flagged}
     *
     * @param started whether the work on it had begun
     */
    public JobRow released(long now, boolean started) {
        ClaimEnd claimEnd = ClaimEnd.of(AttemptEnd.RELEASED, now, null);
        return waiting(payload, scheduledTime, lock, options, freshIfFlagged(claimInfo.ended(started)), claimEnd);
    }

    private ClaimInfo freshIfFlagged(ClaimInfo ended) {
        return resubmit ? ended.fresh() : ended;
    }

    /** {@return this running job waiting again for another attempt, the present one having failed or been put off} */
    public JobRow again(long scheduledTime, ClaimEnd claimEnd) {
        ClaimInfo ended = claimEnd.how() == AttemptEnd.FAILED ? claimInfo.failed() : claimInfo.ended(true);
        return waiting(payload, scheduledTime, lock, options, ended, claimEnd);
    }

    /**
     * {@return this job claimed with a lock}
     *
     * @param started whether the work on it begins with the claim
     */
    public JobRow claimed(UUID lock, String by, long now, boolean shared, boolean started) {
        return new JobRow(
                JobState.RUNNING,
                NEXT_COMMIT,
                lock,
                scheduledTime,
                false,
                payload,
                null,
                options,
                claimInfo.next(by, now, shared, started),
                null);
    }

    /** {@return this running job after a heartbeat of its own} */
    public JobRow renewed(Payload payload) {
        return renewed(payload, false);
    }

    /** {@return this running job after a heartbeat} */
    public JobRow renewed(Payload payload, boolean shared) {
        return new JobRow(
                state,
                NEXT_COMMIT,
                lock,
                scheduledTime,
                resubmit,
                payload,
                finishedBy,
                options,
                claimInfo.renewed(shared),
                claimEnd);
    }

    /** {@return this running job, to be pending again when it is finished; not a sign of life} */
    public JobRow flagged(long scheduledTime) {
        return new JobRow(
                state, sequence, lock, scheduledTime, true, payload, finishedBy, options, claimInfo, claimEnd);
    }

    /** {@return this running job ended by its holder: pending again if it was flagged} */
    public JobRow finished(ClaimEnd claimEnd) {
        return resubmit
                ? waiting(
                        payload,
                        scheduledTime,
                        lock,
                        options,
                        claimInfo.ended(true).fresh(),
                        claimEnd)
                : ended(claimEnd);
    }

    /**
     * {@return this job ended for good} A holder that went silent has not ended it itself, and is to be halted if it
     * comes back.
     */
    public JobRow ended(ClaimEnd claimEnd) {
        boolean expired = claimEnd.how() == AttemptEnd.EXPIRED;
        return new JobRow(
                JobState.FINISHED,
                null,
                null,
                scheduledTime,
                false,
                payload,
                expired ? null : lock,
                options.blockedBy(false),
                endedClaim(claimEnd.how()),
                claimEnd);
    }

    private ClaimInfo endedClaim(AttemptEnd how) {
        if (state != JobState.RUNNING) {
            return claimInfo;
        }
        return switch (how) {
            case EXPIRED -> claimInfo.expired();
            case FAILED -> claimInfo.failed();
            case SUCCEEDED, CANCELLED, SNOOZED, RELEASED -> claimInfo.ended(true);
        };
    }

    /** {@return how this finished job ended} */
    public Outcome outcome() {
        return claimEnd == null ? Outcome.SUCCEEDED : claimEnd.outcome();
    }

    /** {@return whether the job runs under this lock} */
    public boolean isHeldBy(UUID claim) {
        return claim.equals(lock);
    }

    /** {@return whether that claim finished the job and it has not been claimed since} */
    public boolean wasLastHeldBy(UUID claim) {
        return lock == null && claim.equals(finishedBy);
    }

    /** Whether this row differs from the one before it only in its last heartbeat. */
    boolean isHeartbeatAfter(JobRow before) {
        return before.state == JobState.RUNNING
                && sequence != null
                && awaitsCommit()
                && equals(before.renewed(before.payload, claimInfo.shared()).stamped(sequence.getUserVersion()));
    }

    /** Whether the last heartbeat is in the same commit as that of another row. */
    boolean isAsOldAs(@Nullable JobRow other) {
        return other != null && sequence != null && sequence.isComplete() && sequence.equals(other.sequence);
    }

    boolean awaitsCommit() {
        return sequence != null && !sequence.isComplete();
    }

    /** Whether the job ended and is not to be kept at all. */
    boolean vanishes() {
        return state == JobState.FINISHED && claimEnd != null && claimEnd.removeAt() == ClaimEnd.AT_ONCE;
    }

    JobRow stamped(int userVersion) {
        return awaitsCommit()
                ? new JobRow(
                        state,
                        Versionstamp.incomplete(userVersion),
                        lock,
                        scheduledTime,
                        resubmit,
                        payload,
                        finishedBy,
                        options,
                        claimInfo,
                        claimEnd)
                : this;
    }

    /** Whether two rows differ in anything that subscribers receive. */
    boolean differsFrom(JobRow other) {
        return state != other.state || options.blocked() != other.options.blocked() || hasOtherOptionsThan(other);
    }

    private boolean hasOtherOptionsThan(JobRow other) {
        return scheduledTime != other.scheduledTime
                || resubmit != other.resubmit
                || payload != other.payload
                || !options.hasSameOptionsAs(other.options);
    }

    /**
     * {@return this row as it follows another one of its job} A claim, and all that its holder writes, is unlike any
     * row before it; other changes count as edits, so that they are so too.
     */
    JobRow after(JobRow before) {
        boolean edited = state == before.state ? hasOtherOptionsThan(before) : before.state == JobState.FINISHED;
        return edited && !awaitsCommit() ? on(options.edited()) : this;
    }

    /** The value, with a placeholder in front if it awaits its commit. */
    Tuple encode() {
        List<@Nullable Object> value = new ArrayList<>(ENDING + 1);
        value.add(encodedSequence());
        value.add(lock);
        value.add(scheduledTime);
        value.add(resubmit);
        value.add(payload.element());
        value.add(finishedBy);
        value.add(options.encode());
        value.add(claimInfo.encode());
        value.add(claimEnd == null ? null : claimEnd.encode());
        return Tuple.fromList(withoutTail(value));
    }

    private @Nullable Object encodedSequence() {
        if (sequence == null) {
            return state == JobState.PENDING ? 0L : null;
        }
        return sequence.isComplete() ? sequence : IncompleteVersionstamps.placeholder(sequence.getUserVersion());
    }

    /** What is as usual at the end of a row takes no room. */
    private static List<@Nullable Object> withoutTail(List<@Nullable Object> value) {
        int last = value.size();
        while (last > JOB_OPTIONS && value.get(last - 1) == null) {
            last--;
        }
        return value.subList(0, last);
    }

    static JobRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        Object sequence = row.get(0);
        UUID lock = row.getUUID(1);
        if (lock == null ? sequence != null && !sequence.equals(0L) : !(sequence instanceof Versionstamp)) {
            throw new IllegalArgumentException(
                    "A job with" + (lock == null ? "out" : "") + " a lock has sequence " + sequence);
        }
        JobState idle = sequence == null ? JobState.FINISHED : JobState.PENDING;
        return new JobRow(
                lock != null ? JobState.RUNNING : idle,
                sequence instanceof Versionstamp stamp ? stamp : null,
                lock,
                row.getLong(2),
                row.getBoolean(3),
                Payload.ofElement(row.get(4)),
                row.size() > RFC_ELEMENTS ? row.getUUID(RFC_ELEMENTS) : null,
                JobOptions.decode(nested(row, JOB_OPTIONS)),
                ClaimInfo.decode(nested(row, CLAIM_INFO)),
                ClaimEnd.decode(nested(row, ENDING)));
    }

    private static @Nullable Tuple nested(Tuple row, int index) {
        return row.size() > index ? row.getNestedTuple(index) : null;
    }
}
