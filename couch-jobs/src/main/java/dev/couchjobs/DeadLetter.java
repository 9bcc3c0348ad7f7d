package dev.couchjobs;

import java.time.Instant;

/**
 * A job that has failed for good, in the listing of those.
 *
 * @param jobId the id of the job
 * @param failedAt when it failed, by the clock of the process that ended it
 * @param failures how many attempts have failed since it was last enqueued
 * @param claims how often it was claimed in all
 * @param error what went wrong in the last attempt, cut to a bounded size
 */
public record DeadLetter(String jobId, Instant failedAt, int failures, long claims, String error) {}
