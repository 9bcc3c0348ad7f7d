package dev.couchjobs.internal.job;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of a job's {@code data} row: RFC 007's {@code (Sequence, JobLock, ScheduledTime, Resubmit, JobData)},
 * followed by the lock of the claim that last ended, nested tuples for the options, the claim, its end and the
 * releases, and the descent.
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
    /** The usual size of a row without its payload. */
    private static final int ENCODED_BYTES = 120;

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
    public JobRow withOptions(JobOptions options) {
        return with(options, claimInfo);
    }

    private JobRow with(JobOptions options, ClaimInfo claimInfo) {
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
        return withOptions(options.due(true));
    }

    /** {@return this running job with a log; not a heartbeat} */
    public JobRow logging() {
        return with(options, claimInfo.logging());
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
        return withOptions(options.withDependencies(dependencies));
    }

    /** {@return whether this is the closing job of a batch, and waits for that to close} */
    public boolean isClosingHeld(String batch) {
        BatchPlace place = options.keys().batch();
        return place != null
                && place.held()
                && state == JobState.PENDING
                && place.batch().equals(batch);
    }

    /** {@return the batch that this closing job waits for, or null} */
    public @Nullable String awaitedBatch() {
        BatchPlace place = options.keys().batch();
        return place != null && place.held() && state == JobState.PENDING ? place.batch() : null;
    }

    /** {@return this closing job once its batch has closed} */
    public JobRow releasedByBatch() {
        return withOptions(options.released());
    }

    /** {@return this job as one that waits for others in its sequence, or no longer does} */
    public JobRow held(boolean held) {
        return options.keys().sequence() == null ? this : withOptions(options.held(held));
    }

    /**
     * {@return this running job as pending after its claim expired; without failures if it was flagged}
     */
    public JobRow requeued(long now, long scheduledTime) {
        ClaimEnd expired = ClaimEnd.of(AttemptEnd.EXPIRED, now, null);
        JobOptions next = claimInfo.started() || resubmit ? options.begun() : options;
        return waiting(payload, scheduledTime, null, next, freshIfFlagged(claimInfo.expired()), expired);
    }

    /** {@return this running job as pending after its holder released it before the work began} */
    public JobRow putBack(long now) {
        ClaimEnd claimEnd = ClaimEnd.of(AttemptEnd.RELEASED, now, null);
        JobOptions next = resubmit ? options.begun() : options;
        return waiting(payload, scheduledTime, lock, next, freshIfFlagged(claimInfo.ended(false)), claimEnd);
    }

    /**
     * {@return this running job as pending after its holder released it once the work had begun; without failures if it
     * was flagged}
     */
    public JobRow released(long scheduledTime, ReleaseReason reason, ClaimEnd claimEnd) {
        ClaimInfo ended = freshIfFlagged(claimInfo.released(reason));
        return waiting(payload, scheduledTime, lock, options.begun(), ended, claimEnd);
    }

    private ClaimInfo freshIfFlagged(ClaimInfo ended) {
        return resubmit ? ended.fresh() : ended;
    }

    /** {@return this running job as pending for another attempt, after a failure or a snooze} */
    public JobRow retried(long scheduledTime, ClaimEnd claimEnd) {
        ClaimInfo ended = claimEnd.how() == AttemptEnd.FAILED ? claimInfo.failed() : claimInfo.ended(true);
        return waiting(payload, scheduledTime, lock, options.begun(), ended, claimEnd);
    }

    /**
     * {@return this job claimed with a lock}
     *
     * @param by the name of the process
     * @param shared whether the activity row is shared with other claims
     * @param started whether the work begins with the claim
     * @param limitShard the shard of the limit of the type that counts the claim, or {@link ClaimInfo#NO_LIMIT_SHARD}
     */
    public JobRow claimed(UUID lock, String by, long now, boolean shared, boolean started, int limitShard) {
        return new JobRow(
                JobState.RUNNING,
                NEXT_COMMIT,
                lock,
                scheduledTime,
                false,
                payload.claimed(),
                null,
                options.claimed(),
                claimInfo.next(by, now, shared, started, limitShard),
                null);
    }

    /** {@return this job, claimed for another than the instance} */
    JobRow claimedBy(String name) {
        return with(options, claimInfo.by(name));
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
    public JobRow resubmitted(long scheduledTime) {
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
                        options.begun(),
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
                (state == JobState.RUNNING ? options.begun() : options).blocked(false),
                endedClaim(claimEnd.how()),
                claimEnd);
    }

    /** {@return whether this job is running, and its work is known to have begun: it has met its deadline} */
    public boolean hasBegun() {
        return state == JobState.RUNNING && claimInfo.started();
    }

    /** {@return the deadline of this job, if it is pending and has one; otherwise that of a job without one} */
    public long deadline() {
        return state == JobState.PENDING ? options.keys().startBefore() : JobKeys.NO_DEADLINE;
    }

    /** {@return the first second since the epoch that is not before the deadline} */
    public long deadlineSecond() {
        return -Math.floorDiv(-deadline(), 1_000L);
    }

    /** {@return whether this job is pending and has not begun by its deadline} */
    public boolean isLate(long now) {
        return state == JobState.PENDING && options.isLate(now);
    }

    /**
     * {@return this pending or running job as ended other than by its holder: cancelled, or past its deadline} The row
     * does not contain the lock of the claim, so a later verb of its holder is halted.
     */
    public JobRow cancelled(ClaimEnd claimEnd) {
        DependencyState dependencies = options.dependencies().keptIfFailed(DependencyState.FOR_EVER, false);
        return new JobRow(
                JobState.FINISHED,
                null,
                null,
                scheduledTime,
                false,
                payload,
                null,
                (hasBegun() ? options.begun() : options).blocked(false).withDependencies(dependencies),
                state == JobState.RUNNING ? claimInfo.ended(claimInfo.started()) : claimInfo.withoutAttempt(),
                claimEnd);
    }

    /** {@return this pending job with another scheduled time, with its history and its failures} */
    public JobRow rescheduled(long scheduledTime) {
        return waiting(payload, scheduledTime, finishedBy, options, claimInfo, claimEnd);
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

    /** {@return whether the claim of this running job has ended other than by its holder, as the next row shows} */
    public boolean isTakenFromHolder(@Nullable JobRow next) {
        return lock != null && (next == null || !(next.isHeldBy(lock) || next.wasLastHeldBy(lock)));
    }

    /** {@return whether a claim with a number was ended by the cancellation of the job} */
    public boolean wasCancelledUnder(long claim) {
        return lock == null
                && claimInfo.number() == claim
                && claimEnd != null
                && claimEnd.how() == AttemptEnd.CANCELLED;
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
    public boolean isHeartbeatAfter(JobRow before) {
        return before.state == JobState.RUNNING
                && sequence != null
                && awaitsCommit()
                && equals(before.renewed(before.payload, claimInfo.shared()).stamped(sequence.getUserVersion()));
    }

    /** {@return whether this row has the same committed sequence as another row} */
    public boolean isAsOldAs(@Nullable JobRow other) {
        return other != null && sequence != null && sequence.isComplete() && sequence.equals(other.sequence);
    }

    public boolean awaitsCommit() {
        return sequence != null && !sequence.isComplete();
    }

    /** {@return whether the end of the job removes it} A job in a graph is kept until the graph has ended. */
    public boolean vanishes() {
        return goesAtOnce() && options.dependencies().graph() == DependencyState.NO_GRAPH;
    }

    /** {@return whether the job has ended and is not kept by its own retention} */
    public boolean goesAtOnce() {
        return state == JobState.FINISHED && claimEnd != null && claimEnd.removeAt() == ClaimEnd.AT_ONCE;
    }

    public JobRow stamped(int userVersion) {
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
    public boolean differsFrom(JobRow other) {
        return state != other.state || isBlocked() != other.isBlocked() || hasOtherOptionsThan(other);
    }

    private boolean isBlocked() {
        return Standing.of(this) instanceof Standing.Blocked;
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
    public JobRow after(JobRow before) {
        boolean edited = state == before.state ? hasOtherOptionsThan(before) : before.state == JobState.FINISHED;
        return edited && !awaitsCommit() ? withOptions(options.edited()) : this;
    }

    /** Encodes the row, with a placeholder as the first element if the row awaits its commit. */
    private TupleWriter encoded() {
        TupleWriter row = new TupleWriter(ENCODED_BYTES + payload.inlineBytes());
        encodeSequence(row);
        row.addNullable(lock).add(scheduledTime).add(resubmit);
        payload.encode(row);
        row.addNullable(finishedBy);
        int end = row.length(); // nulls at the end of a row take no room
        if (options.encode(row)) {
            end = row.length();
        }
        if (claimInfo.encode(row)) {
            end = row.length();
        }
        if (claimEnd != null) {
            claimEnd.encode(row);
            end = row.length();
        } else {
            row.addNull();
        }
        if (claimInfo.releases().equals(Releases.NONE)) {
            row.addNull();
        } else {
            claimInfo.releases().encode(row);
            end = row.length();
        }
        if (options.descent() != 0) {
            row.add(options.descent());
            end = row.length();
        }
        row.truncate(end);
        return row;
    }

    private void encodeSequence(TupleWriter row) {
        if (sequence == null) {
            if (state == JobState.PENDING) {
                row.add(0);
            } else {
                row.addNull();
            }
        } else if (sequence.isComplete()) {
            row.add(sequence);
        } else {
            row.addPlaceholder(sequence.getUserVersion());
        }
    }

    /** Sets the value of a key to this row. */
    public void write(Transaction tx, byte[] key) {
        if (awaitsCommit()) {
            tx.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, key, encoded().toOperand(0));
        } else {
            tx.set(key, encoded().toBytes());
        }
    }

    public static JobRow decode(byte[] value) {
        TupleReader row = new TupleReader(value);
        boolean isFinished = row.skipNull();
        Versionstamp sequence = null;
        if (!isFinished) {
            if (row.peek() == TupleWriter.INT_ZERO) {
                row.readLong();
            } else {
                sequence = row.readVersionstamp();
            }
        }
        UUID lock = row.skipNull() ? null : row.readUuid();
        if ((lock == null) != (sequence == null)) {
            throw new IllegalArgumentException(
                    "A job with" + (lock == null ? "out" : "") + " a lock has sequence " + sequence);
        }
        JobState idle = isFinished ? JobState.FINISHED : JobState.PENDING;
        long scheduledTime = row.readLong();
        boolean resubmit = row.readBoolean();
        Payload payload = Payload.decode(row);
        UUID finishedBy = row.skipNull() ? null : row.readUuid();
        JobOptions options = JobOptions.decode(row);
        ClaimInfo claimInfo = ClaimInfo.decode(row);
        ClaimEnd claimEnd = ClaimEnd.decode(row);
        Releases releases = Releases.decode(row);
        int descent = row.hasNext() ? row.readInt() : 0;
        JobRow job = new JobRow(
                lock != null ? JobState.RUNNING : idle,
                sequence,
                lock,
                scheduledTime,
                resubmit,
                payload,
                finishedBy,
                options.descended(descent),
                claimInfo.with(releases),
                claimEnd);
        row.skipRest();
        return job;
    }
}
