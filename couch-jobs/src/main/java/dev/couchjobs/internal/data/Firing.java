package dev.couchjobs.internal.data;

/**
 * The firing of a schedule that made a job.
 *
 * @param schedule the name of the schedule
 * @param time the time for which it fired, in seconds since the epoch
 */
public record Firing(String schedule, long time) {}
