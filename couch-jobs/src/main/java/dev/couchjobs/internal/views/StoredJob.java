package dev.couchjobs.internal.views;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Outcome;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.history.AttemptLog;
import dev.couchjobs.internal.job.BatchPlace;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.job.UniqueKey;
import dev.couchjobs.internal.rows.JobRef;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A job as it is stored; decodes its data and result when asked, so that bad data hides nothing else. */
public final class StoredJob<D, R> implements JobInfo<D, R> {
    private final JobType<D, R> type;
    private final String id;
    private final JobRow row;
    private final byte @Nullable [] json;
    private final Optional<byte[]> resultJson;
    private final Optional<JobAttempt> lastAttempt;
    private final PayloadCodec codec;

    private StoredJob(
            JobType<D, R> type,
            String id,
            JobRow row,
            byte @Nullable [] json,
            Optional<byte[]> resultJson,
            Optional<JobAttempt> lastAttempt,
            PayloadCodec codec) {
        this.type = type;
        this.id = id;
        this.row = row;
        this.json = json;
        this.resultJson = resultJson;
        this.lastAttempt = lastAttempt;
        this.codec = codec;
    }

    /** {@return a job with its data and result} */
    public static <D, R> CompletableFuture<JobInfo<D, R>> load(
            ReadTransaction tx, JobType<D, R> type, JobRef ref, JobRow row, PayloadCodec codec) {
        CompletableFuture<byte[]> data = row.payload().load(tx, ref);
        CompletableFuture<Optional<byte[]>> result = loadResult(tx, ref, row);
        CompletableFuture<Optional<JobAttempt>> last = AttemptLog.last(tx, ref, row);
        return CompletableFuture.allOf(data, result, last)
                .thenApply(
                        done -> new StoredJob<>(type, ref.id(), row, data.join(), result.join(), last.join(), codec));
    }

    /** {@return a job with its result; its data is not read and cannot be asked for} */
    public static <D, R> CompletableFuture<JobInfo<D, R>> loadWithoutData(
            ReadTransaction tx, JobType<D, R> type, JobRef ref, JobRow row, PayloadCodec codec) {
        return loadResult(tx, ref, row)
                .thenCombine(
                        AttemptLog.last(tx, ref, row),
                        (result, last) -> new StoredJob<>(type, ref.id(), row, null, result, last, codec));
    }

    private static CompletableFuture<Optional<byte[]>> loadResult(ReadTransaction tx, JobRef ref, JobRow row) {
        ClaimEnd claimEnd = row.claimEnd();
        return claimEnd == null || claimEnd.result() == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : claimEnd.result().loadResult(tx, ref).thenApply(Optional::of);
    }

    @Override
    public JobType<D, R> type() {
        return type;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public JobState state() {
        return row.state();
    }

    @Override
    public Optional<Outcome> outcome() {
        return isFinished() ? Optional.of(row.outcome()) : Optional.empty();
    }

    private boolean isFinished() {
        return row.state() == JobState.FINISHED;
    }

    private Optional<ClaimEnd> claimEnd() {
        return Optional.ofNullable(row.claimEnd());
    }

    @Override
    public int descent() {
        return row.options().descent();
    }

    @Override
    public int priority() {
        return row.options().priority();
    }

    @Override
    public Optional<String> limitKey() {
        return Optional.ofNullable(row.options().limitKey());
    }

    @Override
    public Optional<String> sequence() {
        return Optional.ofNullable(row.options().keys().sequence()).map(SequencePlace::name);
    }

    @Override
    public Optional<String> uniqueKey() {
        return Optional.ofNullable(row.options().unique())
                .filter(key -> !key.isDigest())
                .map(UniqueKey::text);
    }

    @Override
    public boolean isUniqueByData() {
        UniqueKey unique = row.options().unique();
        return unique != null && unique.isDigest();
    }

    @Override
    public boolean passesFailure() {
        SequencePlace place = row.options().keys().sequence();
        return place != null && place.passesFailure();
    }

    @Override
    public Optional<RetryPolicy> retry() {
        return Optional.ofNullable(row.options().retry());
    }

    @Override
    public Optional<String> turnKey() {
        return Optional.ofNullable(row.options().turnKey());
    }

    @Override
    public boolean isBlocked() {
        return Standing.of(row) instanceof Standing.Blocked;
    }

    @Override
    public Optional<Instant> scheduledTime() {
        return ScheduledTimes.toInstant(row.scheduledTime());
    }

    @Override
    public List<String> tags() {
        return row.options().keys().tags();
    }

    @Override
    public Map<String, String> headers() {
        return row.options().keys().headers();
    }

    @Override
    public Optional<String> batch() {
        return Optional.ofNullable(row.options().keys().batch()).map(BatchPlace::batch);
    }

    @Override
    public Optional<Instant> startBefore() {
        long deadline = row.options().keys().startBefore();
        return deadline == JobKeys.NO_DEADLINE || row.hasBegun()
                ? Optional.empty()
                : Optional.of(Instant.ofEpochMilli(deadline));
    }

    @Override
    public boolean isResubmitted() {
        return row.resubmit();
    }

    @Override
    public long claims() {
        return row.claimInfo().number();
    }

    @Override
    public int failures() {
        return row.claimInfo().failures();
    }

    @Override
    public int releases(ReleaseReason reason) {
        return row.claimInfo().releases().of(reason);
    }

    @Override
    public Optional<JobAttempt> lastAttempt() {
        return lastAttempt;
    }

    @Override
    public Optional<String> error() {
        return claimEnd().map(ClaimEnd::error);
    }

    @Override
    public Optional<Instant> endedAt() {
        return claimEnd().filter(ended -> isFinished()).map(ended -> Instant.ofEpochMilli(ended.at()));
    }

    @Override
    public Optional<Instant> removeAt() {
        return claimEnd()
                .filter(ended -> isFinished() && ended.removeAt() > 0)
                .map(ended -> Instant.ofEpochSecond(ended.removeAt()));
    }

    @Override
    public D data() {
        if (json == null) {
            throw new IllegalStateException("The data of job " + id + " was not read: get the job with getJob.");
        }
        return codec.decode(type, id, json);
    }

    @Override
    public Optional<R> result() {
        return resultJson.map(stored -> codec.decodeResult(type, id, stored));
    }

    @Override
    public String toString() {
        return "JobInfo[" + type + "/" + id + " " + state() + "]";
    }
}
