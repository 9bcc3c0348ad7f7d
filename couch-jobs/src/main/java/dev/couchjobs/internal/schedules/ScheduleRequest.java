package dev.couchjobs.internal.schedules;

import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/**
 * A schedule that a user asks for.
 *
 * @param name its name
 * @param timing its times; a fixed rate without an origin counts from the start
 * @param start the first time, in seconds since the epoch
 * @param end a time after the last, in seconds since the epoch
 * @param jitter the longest delay, in seconds
 * @param missed how many missed times are made up for
 * @param queues whether a time that passes while a job runs is made up for
 * @param job the job of each time
 */
public record ScheduleRequest(
        String name, Timing timing, long start, long end, long jitter, int missed, boolean queues, NewJob<?> job) {
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
        return new ScheduleRequest(name, timing, 0, NEVER, 0, 1, false, job);
    }

    public ScheduleRequest startingAt(Instant time) {
        long second = ScheduledTimes.toSeconds(time);
        Timing counted = timing instanceof Timing.FixedRate rate ? new Timing.FixedRate(rate.period(), second) : timing;
        return new ScheduleRequest(name, counted, second, end, jitter, missed, queues, job);
    }

    public ScheduleRequest endingAt(Instant time) {
        return new ScheduleRequest(name, timing, start, ScheduledTimes.toSeconds(time), jitter, missed, queues, job);
    }

    public ScheduleRequest jitter(long seconds) {
        return new ScheduleRequest(name, timing, start, end, seconds, missed, queues, job);
    }

    public ScheduleRequest makeUpFor(int most) {
        return new ScheduleRequest(name, timing, start, end, jitter, most, queues, job);
    }

    public ScheduleRequest queueing() {
        return new ScheduleRequest(name, timing, start, end, jitter, missed, true, job);
    }

    /** {@return the name of the type of the jobs} */
    public String typeName() {
        return job.type().name();
    }

    /** {@return what is stored of it} */
    public ScheduleRow.Definition definition() {
        return new ScheduleRow.Definition(
                typeName(),
                timing,
                start,
                end,
                jitter,
                missed,
                queues,
                job.priority(),
                job.retry().map(ScheduleRequest::inMillis).orElse(null));
    }

    /** {@return a policy as it is stored} */
    private static RetryPolicy inMillis(RetryPolicy policy) {
        return new RetryPolicy(
                policy.maxAttempts(),
                Duration.ofMillis(policy.initialDelay().toMillis()),
                policy.factor(),
                Duration.ofMillis(policy.maxDelay().toMillis()),
                policy.jitter());
    }

    @Override
    public String toString() {
        return name + ": " + typeName() + " " + timing.describe();
    }
}
