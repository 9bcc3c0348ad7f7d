package dev.couchjobs.topics;

import dev.couchjobs.JobState;

/**
 * A change of a job, as {@link Topics#publishChanges} appends it. The key of the message is the id of the job.
 *
 * @param type the name of the job's type
 * @param id the id of the job
 * @param state what the job became; {@link JobState#NOT_FOUND} when it was removed
 */
public record JobChanged(String type, String id, JobState state) {}
