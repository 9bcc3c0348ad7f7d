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
 * The value of a job's {@code data} row: RFC 007's {@code (Sequence, JobLock, ScheduledTime, Resubmit, JobData)},
 * followed by the lock of the claim that last ended, and nested tuples for the options, the claim and its end.
 *
 * <p>The state follows from the first two elements: a lock means running; without one, the sequence is 0 for pending
 * and null for finished.
 *
 * @param state pending, running or finished
 * @param sequence the commit of a running job's last heartbeat; incomplete before that commit
 * @param lock the lock of a running job's claim
 * @param scheduledTime seconds since the epoch, 0 for none
 * @param resubmit whether a running job becomes pending again when it is finished
 * @param payload the job's data
 * @param finishedBy the lock of the claim that last ended, until the next claim; identifies a repeated finish
 * @param options the options of the creator beyond the RFC
 * @param claimInfo the current or the last claim
 * @param claimEnd the end of the last claim, or null
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

    /** {@return this job as pending, with its history but without failures} */
    public JobRow enqueued(Payload payload, long scheduledTime) {
        return waiting(payload, scheduledTime, finishedBy, options, claimInfo.fresh(), claimEnd);
    }

    /** {@return this job with other options} */
    public JobRow on(JobOptions options) {
        return new JobRow(
                state, sequence, lock, scheduledTime, resubmit, payload, finishedBy, options, claimInfo, claimEnd);
    }

    /** {@return this job with other data} */
    public JobRow with(Payload payload) {
        return new JobRow(
                state, sequence, lock, scheduledTime, resubmit, payload, finishedBy, options, claimInfo, claimEnd);
    }

    /** {@return this pending job in the ranked queue, because its scheduled time has come} */
    public JobRow dueNow() {
        return on(options.due(true));
    }

    /** {@return this running job with a log; not a heartbeat} */
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
     * {@return this running job as its holder writes it} In the caller's transaction the write is also a heartbeat:
     * such a transaction must not conflict with heartbeats, and a row with an old sequence must not overwrite a
     * heartbeat.
     */
    public JobRow writtenByHolder(boolean joined) {
        return joined ? renewed(payload) : this;
    }

    /** {@return this job with another dependency state} */
    public JobRow withDependencies(DependencyState dependencies) {
        return on(options.withDependencies(dependencies));
    }

    /** {@return whether the job waits for a dependency} */
    public boolean isBlocked() {
        return state == JobState.PENDING && options.blocked();
    }

    /**
     * {@return this running job as pending after its claim expired; without failures if it was flagged}
     */
    public JobRow requeued(long now, long scheduledTime) {
        ClaimEnd expired = ClaimEnd.of(AttemptEnd.EXPIRED, now, null);
        return waiting(payload, scheduledTime, null, options, freshIfFlagged(claimInfo.expired()), expired);
    }

    /**
     * {@return this running job as pending after its holder released it; without failures if it was flagged}
     *
     * @param started whether the work had begun
     */
    public JobRow released(long now, boolean started) {
        ClaimEnd claimEnd = ClaimEnd.of(AttemptEnd.RELEASED, now, null);
        return waiting(payload, scheduledTime, lock, options, freshIfFlagged(claimInfo.ended(started)), claimEnd);
    }

    private ClaimInfo freshIfFlagged(ClaimInfo ended) {
        return resubmit ? ended.fresh() : ended;
    }

    /** {@return this running job as pending for another attempt, after a failure or a snooze} */
    public JobRow again(long scheduledTime, ClaimEnd claimEnd) {
        ClaimInfo ended = claimEnd.how() == AttemptEnd.FAILED ? claimInfo.failed() : claimInfo.ended(true);
        return waiting(payload, scheduledTime, lock, options, ended, claimEnd);
    }

    /**
     * {@return this job claimed with a lock}
     *
     * @param by the name of the process
     * @param shared whether the activity row is shared with other claims
     * @param started whether the work begins with the claim
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

    /** {@return this running job after a heartbeat with an activity row of its own} */
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

    /** {@return this running job flagged for resubmission; not a heartbeat} */
    public JobRow flagged(long scheduledTime) {
        return new JobRow(
                state, sequence, lock, scheduledTime, true, payload, finishedBy, options, claimInfo, claimEnd);
    }

    /** {@return this running job finished by its holder; pending if it was flagged} */
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
     * {@return this job as finished} After an expiry the row does not contain the lock of the claim, so a later verb of
     * its holder is halted.
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
                options.blocked(false),
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

    /** {@return the outcome of this finished job} */
    public Outcome outcome() {
        return claimEnd == null ? Outcome.SUCCEEDED : claimEnd.outcome();
    }

    /** {@return whether the job runs under a lock} */
    public boolean isHeldBy(UUID claim) {
        return claim.equals(lock);
    }

    /** {@return whether a claim ended last, and the job was not claimed again} */
    public boolean wasLastHeldBy(UUID claim) {
        return lock == null && claim.equals(finishedBy);
    }

    /** {@return whether this row differs from the row before it only by a heartbeat} */
    boolean isHeartbeatAfter(JobRow before) {
        return before.state == JobState.RUNNING
                && sequence != null
                && awaitsCommit()
                && equals(before.renewed(before.payload, claimInfo.shared()).stamped(sequence.getUserVersion()));
    }

    /** {@return whether this row has the same committed sequence as another row} */
    boolean isAsOldAs(@Nullable JobRow other) {
        return other != null && sequence != null && sequence.isComplete() && sequence.equals(other.sequence);
    }

    boolean awaitsCommit() {
        return sequence != null && !sequence.isComplete();
    }

    /** {@return whether the end of the job removes it} */
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

    /** {@return whether two rows differ in anything that subscribers receive} */
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
     * {@return this row as the successor of a row of its job} No two rows of a job are equal: claims and the writes of
     * their holders differ by sequence and lock, and all other changes increment the number of edits.
     */
    JobRow after(JobRow before) {
        boolean edited = state == before.state ? hasOtherOptionsThan(before) : before.state == JobState.FINISHED;
        return edited && !awaitsCommit() ? on(options.edited()) : this;
    }

    /** Encodes the row, with a placeholder as the first element if the row awaits its commit. */
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

    /** Omits the absent elements at the end of a row. */
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
