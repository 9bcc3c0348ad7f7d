package dev.couchjobs.internal.status;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobProgress;
import dev.couchjobs.JobState;
import dev.couchjobs.JobStatus;
import dev.couchjobs.Outcome;
import dev.couchjobs.internal.history.JobLog;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.limits.LimitedJob;
import dev.couchjobs.internal.queue.QueueIndex;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The row of a job in the status index: its key from the status, a time and the id, its value what a listing shows. The
 * progress of a running job has a row behind it.
 */
final class StatusRow {
    /** The statuses that are stored, by their numbers. A paused type is recognised when its jobs are listed. */
    static final List<JobStatus> STORED = List.of(
            JobStatus.SCHEDULED,
            JobStatus.BLOCKED,
            JobStatus.LIMITED,
            JobStatus.WAITING,
            JobStatus.RETRYING,
            JobStatus.RUNNING,
            JobStatus.SUCCEEDED,
            JobStatus.FAILED,
            JobStatus.CANCELLED,
            JobStatus.EXPIRED);

    private static final int TAGS = 9;
    private static final String PROGRESS = "progress";
    private static final int ENCODED_BYTES = 80;
    private static final int KEY_BYTES = 24;

    private StatusRow() {}

    /** {@return the number of a stored status} */
    static int number(JobStatus status) {
        return STORED.indexOf(status);
    }

    /** {@return the status of a job; WAITING for one that may wait for a slot of its limit key} */
    static JobStatus status(JobRow row) {
        return Standing.of(row)
                .match(
                        blocked -> JobStatus.BLOCKED,
                        later -> later.isRetry() ? JobStatus.RETRYING : JobStatus.SCHEDULED,
                        due -> JobStatus.WAITING,
                        running -> JobStatus.RUNNING,
                        ended -> status(ended.outcome()));
    }

    /** {@return the statuses that a job may have as its row says} */
    static List<JobStatus> possible(@Nullable JobRow row) {
        if (row == null) {
            return List.of();
        }
        return LimitedJob.isDue(row) ? List.of(JobStatus.WAITING, JobStatus.LIMITED) : List.of(status(row));
    }

    private static JobStatus status(Outcome outcome) {
        return switch (outcome) {
            case SUCCEEDED -> JobStatus.SUCCEEDED;
            case FAILED -> JobStatus.FAILED;
            case CANCELLED -> JobStatus.CANCELLED;
            case EXPIRED -> JobStatus.EXPIRED;
        };
    }

    /** {@return the key of a job with a status} */
    static byte[] key(JobRef ref, JobStatus status, JobRow row) {
        return key(ref, status, order(status, row));
    }

    /** {@return the key of a job that is due, and waits to be claimed or for a slot} */
    static byte[] key(JobRef ref, JobStatus status, long order) {
        return new TupleWriter(
                        StatusKeys.of(ref.keys()).statusesPrefix(),
                        KEY_BYTES + ref.id().length())
                .add(number(status))
                .add(order)
                .add(ref.id())
                .toBytes();
    }

    /** The order within a status, in milliseconds since the epoch. */
    static long order(JobStatus status, JobRow row) {
        return switch (status) {
            case SCHEDULED, RETRYING -> QueueIndex.since(row.scheduledTime());
            case RUNNING -> row.claimInfo().since();
            case BLOCKED, LIMITED, WAITING, PAUSED -> row.options().since();
            case SUCCEEDED, FAILED, CANCELLED, EXPIRED ->
                row.claimEnd() == null ? 0 : row.claimEnd().at();
        };
    }

    /** {@return the value of a row} */
    static byte[] value(JobRow row) {
        ClaimInfo claim = row.claimInfo();
        ClaimEnd end = row.claimEnd();
        JobKeys keys = row.options().keys();
        TupleWriter value = new TupleWriter(ENCODED_BYTES)
                .add(since(row))
                .add(row.scheduledTime())
                .add(row.options().priority())
                .add(claim.number())
                .add(claim.failures())
                .add(claim.by())
                .addNullable(end == null || end.error() == null ? null : shortened(end.error()))
                .addNullable(keys.limit())
                .addNullable(keys.turn());
        keys.tags().forEach(value::add);
        return value.toBytes();
    }

    private static long since(JobRow row) {
        if (row.state() == JobState.RUNNING) {
            return row.claimInfo().since();
        }
        return row.claimEnd() == null ? row.options().since() : row.claimEnd().at();
    }

    private static String shortened(String error) {
        if (error.length() <= JobLine.ERROR_CHARS_MAX) {
            return error;
        }
        int end = JobLine.ERROR_CHARS_MAX;
        return error.substring(0, Character.isHighSurrogate(error.charAt(end - 1)) ? end - 1 : end);
    }

    /** {@return the key of the progress behind the key of a row} */
    static byte[] progressKey(byte[] key) {
        return new TupleWriter(key, PROGRESS.length() + 2).add(PROGRESS).toBytes();
    }

    /** {@return the first key behind the row of a job and its progress} Ids with a zero have keys that begin alike. */
    static byte[] behind(byte[] key) {
        return ByteArrayUtil.keyAfter(progressKey(key));
    }

    /**
     * A row as it is read: a job, or the progress of one.
     *
     * @param jobId the id of the job
     * @param order the time in the key of the job's row
     * @param value the value of the job's row, or null
     * @param progress the progress, or null
     */
    record Stored(
            String jobId,
            long order,
            @Nullable Tuple value,
            @Nullable JobProgress progress) {
        /** {@return the job whose row this is, as a listing shows it} */
        JobLine line(Tuple row, JobStatus status, @Nullable JobProgress itsProgress) {
            String holder = row.getString(5);
            return new JobLine(
                    jobId,
                    status,
                    time(Instant::ofEpochMilli, row.getLong(0)),
                    time(Instant::ofEpochSecond, row.getLong(1)),
                    Math.toIntExact(row.getLong(2)),
                    row.getLong(3),
                    Math.toIntExact(row.getLong(4)),
                    holder.isEmpty() ? Optional.empty() : Optional.of(holder),
                    Optional.ofNullable(row.getString(6)),
                    Optional.ofNullable(itsProgress),
                    Optional.ofNullable(row.getString(7)),
                    Optional.ofNullable(row.getString(8)),
                    row.stream().skip(TAGS).map(String.class::cast).toList());
        }

        private static Optional<Instant> time(LongFunction<Instant> unit, long time) {
            return time == 0 ? Optional.empty() : Optional.of(unit.apply(time));
        }
    }

    static Stored decode(TypeKeys keys, KeyValue row) {
        TupleReader path = StatusKeys.of(keys).readStatus(row.getKey());
        path.readInt(); // the status, which the caller knows
        long order = path.readLong();
        String jobId = path.readString();
        return path.hasNext()
                ? new Stored(jobId, order, null, JobLog.decodeProgress(row.getValue()))
                : new Stored(jobId, order, Tuple.fromBytes(row.getValue()), null);
    }
}
