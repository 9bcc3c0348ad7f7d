package dev.couchjobs;

import java.time.Instant;
import java.util.Optional;

/**
 * A schedule as it is stored.
 *
 * @param name its name
 * @param typeName the type of its jobs
 * @param times its firing times as text, such as {@code 0 3 * * * (Europe/Berlin)} or {@code every PT5M}
 * @param isPaused whether it is paused
 * @param currentJob the id of the job that waits for its firing time, or runs; empty if the schedule is paused or has
 *     ended, and no job runs; of schedules whose jobs overlap, only a job that waits
 * @param firingTime the firing time of that job
 */
public record ScheduleInfo(
        String name,
        String typeName,
        String times,
        boolean isPaused,
        Optional<String> currentJob,
        Optional<Instant> firingTime) {}
