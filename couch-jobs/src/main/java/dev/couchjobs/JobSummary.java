package dev.couchjobs;

import java.time.Instant;
import java.util.Optional;

/**
 * One line of a listing of jobs.
 *
 * @param jobId the id of the job
 * @param state its state
 * @param scheduledTime the time before which it is not to run, in whole seconds, or empty if it has none
 */
public record JobSummary(String jobId, JobState state, Optional<Instant> scheduledTime) {}
