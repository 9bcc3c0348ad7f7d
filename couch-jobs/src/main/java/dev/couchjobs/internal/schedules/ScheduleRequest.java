package dev.couchjobs.internal.schedules;

import dev.couchjobs.NewJob;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Instant;
import java.time.ZoneId;

/**
 * A schedule that a user asks for.
 *
 * @param name its name
 * @param definition its firing times, and the options of its jobs
 * @param job the job of each firing time
 */
public record ScheduleRequest(String name, ScheduleRow.Definition definition, NewJob<?> job) {
    private static final long NEVER = Long.MAX_VALUE;

    public static ScheduleRequest cron(String name, String expression, ZoneId zone, NewJob<?> job) {
        return of(name, new Timing.CronTimes(Cron.of(expression, zone)), job);
    }

    public static ScheduleRequest every(String name, long period, NewJob<?> job) {
        return of(name, new Timing.FixedRate(period, 0), job);
    }

    public static ScheduleRequest afterEach(String name, long pause, NewJob<?> job) {
        return of(name, new Timing.FixedDelay(pause), job);
    }

    private static ScheduleRequest of(String name, Timing timing, NewJob<?> job) {
        ScheduleRow.Definition definition = new ScheduleRow.Definition(
                job.type().name(),
                timing,
                0,
                NEVER,
                0,
                1,
                false,
                job.priority(),
                job.retry().orElse(null));
        return new ScheduleRequest(name, definition.asStored(), job);
    }

    private ScheduleRequest with(Timing timing, long start, long end, long jitter, int missed, boolean queues) {
        return new ScheduleRequest(
                name,
                new ScheduleRow.Definition(
                        definition.typeName(),
                        timing,
                        start,
                        end,
                        jitter,
                        missed,
                        queues,
                        definition.priority(),
                        definition.retry()),
                job);
    }

    /** A fixed rate counts from the start. */
    public ScheduleRequest startingAt(Instant time) {
        long start = ScheduledTimes.toSeconds(time);
        Timing timing =
                timing() instanceof Timing.FixedRate rate ? new Timing.FixedRate(rate.period(), start) : timing();
        return with(timing, start, end(), definition.jitter(), definition.missed(), definition.queues());
    }

    public ScheduleRequest endingAt(Instant time) {
        long end = ScheduledTimes.toSeconds(time);
        return with(timing(), start(), end, definition.jitter(), definition.missed(), definition.queues());
    }

    public ScheduleRequest jitter(long seconds) {
        return with(timing(), start(), end(), seconds, definition.missed(), definition.queues());
    }

    public ScheduleRequest makeUpFor(int most) {
        return with(timing(), start(), end(), definition.jitter(), most, definition.queues());
    }

    public ScheduleRequest queueing() {
        return with(timing(), start(), end(), definition.jitter(), definition.missed(), true);
    }

    private Timing timing() {
        return definition.timing();
    }

    public long start() {
        return definition.start();
    }

    public long end() {
        return definition.end();
    }

    /** {@return the name of the type of the jobs} */
    public String typeName() {
        return definition.typeName();
    }

    @Override
    public String toString() {
        return name + ": " + typeName() + " " + timing().describe();
    }
}
