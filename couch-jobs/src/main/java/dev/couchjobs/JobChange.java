package dev.couchjobs;

import com.apple.foundationdb.tuple.Versionstamp;

/**
 * One change of a job, as {@link JobChanges} reads it.
 *
 * @param typeName the name of the job's type
 * @param jobId the id of the job
 * @param state what the job became; {@link JobState#NOT_FOUND} when it was removed
 * @param sequence the place of the change; changes of one commit may have the same
 */
public record JobChange(String typeName, String jobId, JobState state, Versionstamp sequence) {}
