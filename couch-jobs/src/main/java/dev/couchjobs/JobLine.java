package dev.couchjobs;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One job in a listing by status.
 *
 * @param jobId the id of the job
 * @param status its status
 * @param since since when it has had the status, by the clock of the process that changed it; empty if that is not
 *     stored, as for a job with priority 0 and no key that has not begun
 * @param scheduledTime the time before which it is not to run, in whole seconds, or empty if it has none
 * @param priority its priority
 * @param claim the number of its present or last claim; 0 if it was never claimed
 * @param failures how many of its attempts have failed since it was last enqueued
 * @param holder the process that has claimed it, or had when it ended; empty if it was never claimed
 * @param error the first {@value #ERROR_CHARS_MAX} characters of the error of its last attempt, if that failed, or of
 *     the reason of its end
 * @param progress its progress, if it runs and has told one since the index was built
 * @param limitKey its limit key
 * @param turnKey its turn key
 * @param tags its tags, in order
 */
public record JobLine(
        String jobId,
        JobStatus status,
        Optional<Instant> since,
        Optional<Instant> scheduledTime,
        int priority,
        long claim,
        int failures,
        Optional<String> holder,
        Optional<String> error,
        Optional<JobProgress> progress,
        Optional<String> limitKey,
        Optional<String> turnKey,
        List<String> tags) {
    /** How much of an error is kept. */
    public static final int ERROR_CHARS_MAX = 200;
}
