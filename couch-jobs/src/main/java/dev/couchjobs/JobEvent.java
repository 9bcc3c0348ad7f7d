package dev.couchjobs;

import com.apple.foundationdb.tuple.Versionstamp;
import java.util.Optional;

/**
 * One change of a job, as {@code wait} reports it.
 *
 * @param type the type of the job
 * @param jobId the id of the job
 * @param state what the job became; {@link JobState#NOT_FOUND} when it was removed
 * @param data the job's data, read together with the event: never older than {@code state}, and newer only when the job
 *     had already moved on; empty when the job is gone
 * @param sequence the commit that made the change; changes of all jobs are ordered by it
 * @param <D> the type of the job's data
 */
public record JobEvent<D>(JobType<D> type, String jobId, JobState state, Optional<D> data, Versionstamp sequence) {}
