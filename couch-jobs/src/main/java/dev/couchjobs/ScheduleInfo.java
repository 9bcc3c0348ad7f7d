package dev.couchjobs;

import java.time.Instant;
import java.util.Optional;

/**
 * A schedule as it is stored.
 *
 * @param name its name
 * @param typeName the type of its jobs
 * @param times its times in words, such as {@code 0 3 * * * (Europe/Berlin)}
 * @param isPaused whether it is paused
 * @param currentJob the id of the job that waits for its time, or runs; empty if there is none, because the schedule is
 *     paused or has ended
 * @param time the time of that job
 */
public record ScheduleInfo(
        String name,
        String typeName,
        String times,
        boolean isPaused,
        Optional<String> currentJob,
        Optional<Instant> time) {}
