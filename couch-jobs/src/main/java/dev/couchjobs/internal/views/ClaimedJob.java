package dev.couchjobs.internal.views;

import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.job.JobOptions;
import dev.couchjobs.internal.job.JobRow;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A claim as it was made or last confirmed; decodes its data when asked, so that bad data spoils no claim. */
public final class ClaimedJob<D> implements Job<D> {
    private final JobType<D, ?> type;
    private final String id;
    private final UUID lock;
    private final long scheduledTime;
    private final boolean resubmitted;
    private final JobOptions options;
    private final ClaimInfo claimInfo;
    /** Null if the claim was read without its data. */
    private final byte @Nullable [] json;

    private final PayloadCodec codec;

    /** @param json the data; null if it was not read */
    public ClaimedJob(
            JobType<D, ?> type, String id, JobRow row, UUID lock, byte @Nullable [] json, PayloadCodec codec) {
        this(type, id, lock, row.scheduledTime(), row.resubmit(), row.options(), row.claimInfo(), json, codec);
    }

    private ClaimedJob(
            JobType<D, ?> type,
            String id,
            UUID lock,
            long scheduledTime,
            boolean resubmitted,
            JobOptions options,
            ClaimInfo claimInfo,
            byte @Nullable [] json,
            PayloadCodec codec) {
        this.type = type;
        this.id = id;
        this.lock = lock;
        this.scheduledTime = scheduledTime;
        this.resubmitted = resubmitted;
        this.options = options;
        this.claimInfo = claimInfo;
        this.json = json;
        this.codec = codec;
    }

    public static <D> ClaimedJob<D> of(Job<D> job) {
        if (job instanceof ClaimedJob<D> claimed) {
            return claimed;
        }
        throw new IllegalArgumentException("A job to update, finish or resubmit is one that accept or update returned;"
                + " this is a " + job.getClass().getName() + ".");
    }

    /** {@return this claim as that of a processor, who goes by a job type of its own} */
    public ClaimedJob<D> as(JobType<D, ?> type) {
        return new ClaimedJob<>(type, id, lock, scheduledTime, resubmitted, options, claimInfo, json, codec);
    }

    /** {@return how many jobs one after the other led to this one} */
    public int descent() {
        return options.descent();
    }

    /** {@return whether the database knows that the work under this claim has begun} */
    public boolean isKnownToHaveBegun() {
        return claimInfo.started();
    }

    /** {@return whether the job was claimed by its deadline, but has not begun by it} */
    public boolean isLate(long now) {
        return !claimInfo.started() && options.isLate(now);
    }

    /** {@return whether a claim on the job has expired, so that the job may be what ends the processes that run it} */
    public boolean isSuspect() {
        return claimInfo.isSuspect();
    }

    /** {@return whether the job shares a limit key or a place in a sequence with others} */
    public boolean sharesKeys() {
        return options.limitKey() != null || options.keys().sequence() != null;
    }

    /** {@return the size of the job's data} */
    public int bytes() {
        return json == null ? 0 : json.length;
    }

    /** This claim with what its job's row says now; the data is kept where the row does not hold it itself. */
    public ClaimedJob<D> withRow(JobRow row) {
        byte @Nullable [] known = json == null ? null : row.payload().known().orElse(json);
        return new ClaimedJob<>(type, id, row, lock, known, codec);
    }

    /** This claim, resubmitted, whether or not its job's row still has it. */
    public ClaimedJob<D> resubmitted() {
        return new ClaimedJob<>(type, id, lock, scheduledTime, true, options, claimInfo, json, codec);
    }

    @Override
    public JobType<D, ?> type() {
        return type;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public UUID lock() {
        return lock;
    }

    @Override
    public Optional<Instant> scheduledTime() {
        return ScheduledTimes.toInstant(scheduledTime);
    }

    @Override
    public Optional<Instant> firingTime() {
        return Optional.ofNullable(options.firing()).map(firing -> Instant.ofEpochSecond(firing.time()));
    }

    @Override
    public Map<String, String> headers() {
        return options.keys().headers();
    }

    @Override
    public D data() {
        if (json == null) {
            throw new IllegalStateException(this
                    + " was read without its data: call claim with the type, the id and the lock, which reads it.");
        }
        return codec.decode(type, id, json);
    }

    @Override
    public boolean isResubmitted() {
        return resubmitted;
    }

    @Override
    public long claim() {
        return claimInfo.number();
    }

    @Override
    public int failures() {
        return claimInfo.failures();
    }

    /** {@return how many claims were released for a reason before this one, after the work had begun} */
    public int releases(ReleaseReason reason) {
        return claimInfo.releases().of(reason);
    }

    /** {@return how the job is tried again if this attempt fails} */
    public RetryPolicy retry() {
        return options.retry() == null ? type.retry() : options.retry();
    }

    /** Claims are equal when they are the same claim, whatever has been learnt of the job since. */
    @Override
    public boolean equals(Object other) {
        return other instanceof ClaimedJob<?> that
                && lock.equals(that.lock)
                && id.equals(that.id)
                && type.equals(that.type);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, id, lock);
    }

    @Override
    public String toString() {
        return "Job[" + type + "/" + id + ", claim " + claim() + "]"; // not the lock, which lets its holder write
    }
}
