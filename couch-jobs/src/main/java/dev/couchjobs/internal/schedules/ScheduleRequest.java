package dev.couchjobs.internal.schedules;

import dev.couchjobs.NewJob;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/**
 * A schedule that a user asks for.
 *
 * @param name its name
 * @param definition its firing times, and the options of its jobs
 * @param job the job of each firing time
 * @param passesResult whether the result of a job is the data of the next
 */
public record ScheduleRequest(String name, ScheduleRow.Definition definition, NewJob<?> job, boolean passesResult) {
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
                ScheduleRow.Overlap.SKIP,
                job.priority(),
                job.retry().orElse(null),
                null,
                keys(job));
        return new ScheduleRequest(name, definition.asStored(), job, false);
    }

    private static JobKeys keys(NewJob<?> job) {
        return JobKeys.ofSchedule(
                job.limitKey().orElse(null),
                job.turnKey().orElse(null),
                job.sequence()
                        .map(key -> new SequencePlace(key, 0, job.passesFailure(), false))
                        .orElse(null),
                JobKeys.NO_DEADLINE);
    }

    private ScheduleRequest with(Timing timing, long start, long end, long jitter, int missed) {
        return with(definition.with(timing, start, end, jitter, missed));
    }

    private ScheduleRequest with(ScheduleRow.Definition newDefinition) {
        return new ScheduleRequest(name, newDefinition, job, passesResult);
    }

    /** A fixed rate counts from the start. */
    public ScheduleRequest startingAt(Instant time) {
        long start = ScheduledTimes.given("A schedule starts and ends", time);
        Timing timing =
                timing() instanceof Timing.FixedRate rate ? new Timing.FixedRate(rate.period(), start) : timing();
        return with(timing, start, end(), definition.jitter(), definition.missed());
    }

    public ScheduleRequest endingAt(Instant time) {
        return with(
                timing(),
                start(),
                ScheduledTimes.given("A schedule starts and ends", time),
                definition.jitter(),
                definition.missed());
    }

    public ScheduleRequest jitter(long seconds) {
        return with(timing(), start(), end(), seconds, definition.missed());
    }

    public ScheduleRequest makeUpFor(int most) {
        return with(timing(), start(), end(), definition.jitter(), most);
    }

    public ScheduleRequest with(ScheduleRow.Overlap overlap) {
        return with(definition.with(overlap));
    }

    public ScheduleRequest skippingAfter(Duration lateness) {
        return with(definition.with(definition.keys().startingBefore(lateness.toMillis())));
    }

    public ScheduleRequest passingResult() {
        return new ScheduleRequest(name, definition, job, true);
    }

    /** {@return whether the jobs follow one another after a pause} */
    public boolean isAfterEach() {
        return timing() instanceof Timing.FixedDelay;
    }

    /** {@return whether a job may be delayed to the next firing time, or beyond} */
    public boolean isJitterTooLong() {
        return definition.jitter() > 0 && definition.jitter() >= shortestPeriod();
    }

    /** {@return the shortest time between two firing times, in seconds} */
    public long shortestPeriod() {
        return timing().shortestPeriod();
    }

    public long jitter() {
        return definition.jitter();
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
