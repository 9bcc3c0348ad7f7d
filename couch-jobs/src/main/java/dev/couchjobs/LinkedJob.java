package dev.couchjobs;

import java.util.Optional;

/**
 * A job that another waits for, or that waits for another, and how it is.
 *
 * @param typeName the name of its type
 * @param jobId its id
 * @param policy what happens to the job that waits if the other does not succeed
 * @param state its state; {@link JobState#NOT_FOUND} if it is not there, or its row cannot be read
 * @param outcome how it ended; empty unless it is finished
 * @param isBlocked whether it is pending and waits for other jobs, as {@link JobInfo#isBlocked} says
 */
public record LinkedJob(
        String typeName,
        String jobId,
        DependencyPolicy policy,
        JobState state,
        Optional<Outcome> outcome,
        boolean isBlocked) {}
