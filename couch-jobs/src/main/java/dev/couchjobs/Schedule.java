package dev.couchjobs;

import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.schedules.ScheduleRequest;
import dev.couchjobs.internal.schedules.ScheduleRow.Overlap;
import dev.couchjobs.loop.DurationText;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;

/**
 * A recurring job, for {@link Schedules#put}: a name, firing times, and the job that is added for each. Immutable.
 *
 * <pre>{@code
 * jobs.schedules().put(database, Schedule.cron("nightly-report", "0 3 * * *", BERLIN, NewJob.of(REPORT, all)));
 * }</pre>
 *
 * <p>A schedule has at most one current job, which waits for its firing time, or has begun. Its id is the name of the
 * schedule, an at sign and the firing time, such as {@code nightly-report@2026-11-25T02:00:00Z}. The transaction that
 * ends it adds the next (rfc/019). So the jobs of a schedule do not overlap, no firing time has two jobs, and a failed
 * job is tried again before the next is added. Its data has at most 1,000,000 bytes as JSON.
 *
 * <p>If a schedule is {@link #overlapping} or {@link #cancellingPrevious}, the first claim of the current job adds the
 * next, in the same transaction. The current job is then the one that waits, and those before it go on.
 *
 * <p>A firing time that passes before the current job begins is <em>missed</em>. The current job runs late, for all
 * missed firing times; further jobs follow if {@link #makeUpFor} asks for them. A firing time that passes while a job
 * runs is skipped, unless the schedule is {@link #queueing}, {@link #overlapping} or {@link #cancellingPrevious}. Of
 * these three the last call counts.
 */
public final class Schedule {
    private static final int MISSED_MAX = 1_000;

    private final ScheduleRequest request;

    private Schedule(ScheduleRequest request) {
        this.request = request;
    }

    /**
     * A schedule with the firing times of a cron expression.
     *
     * <p>An expression has five fields: minute, hour, day of the month, month, day of the week; or six, with the second
     * first. The page <i>Recurring jobs</i> has the table of what a field may say: values, ranges, steps and lists as
     * in a crontab, and Quartz's {@code L}, {@code W} and {@code #}. Days of the week are numbered as in a crontab, not
     * as in Quartz: 0 and 7 are Sunday, and 1 is Monday. An expression that cannot be read is refused with the reason,
     * and so is a step that names a single value, such as {@code *}{@code /70} minutes.
     *
     * <p><b>Changes of the clock.</b> An expression that restricts the hour fires once for each local time: for a time
     * that the clock skips at the end of the gap, and for a time that the clock repeats the first time. An expression
     * for all hours fires whenever the local time matches: not in a gap, and twice in a repetition.
     *
     * @param name the name of the schedule, unique within the subspace
     * @param expression see above
     * @param zone the zone of its local times
     * @param job the job, without an id, a time and dependencies
     * @return the schedule
     * @throws InvalidCronException if the expression cannot be read, or names no day that ever comes
     * @throws IllegalArgumentException if the name or the job is not allowed
     */
    public static Schedule cron(String name, String expression, ZoneId zone, NewJob<?> job) {
        Objects.requireNonNull(zone, "zone");
        return new Schedule(ScheduleRequest.cron(Name.SCHEDULE.checked(name), expression, zone, checkJob(job)));
    }

    /**
     * A schedule with a fixed period, counted from the start, or else from 1970-01-01T00:00Z.
     *
     * @param name the name of the schedule, unique within the subspace
     * @param period the time between two firing times, a whole number of seconds, up to 36,500 days
     * @param job the job, without an id, a time and dependencies
     * @return the schedule
     * @throws IllegalArgumentException if the name, the period or the job is not allowed
     */
    public static Schedule every(String name, Duration period, NewJob<?> job) {
        return new Schedule(
                ScheduleRequest.every(Name.SCHEDULE.checked(name), seconds("period", period, 1), checkJob(job)));
    }

    /**
     * A schedule whose jobs follow one another after a pause.
     *
     * @param name the name of the schedule, unique within the subspace
     * @param pause from the end of a job to the firing time of the next, a whole number of seconds, up to 36,500 days
     * @param job the job, without an id, a time and dependencies
     * @return the schedule
     * @throws IllegalArgumentException if the name, the pause or the job is not allowed
     */
    public static Schedule afterEach(String name, Duration pause, NewJob<?> job) {
        return new Schedule(
                ScheduleRequest.afterEach(Name.SCHEDULE.checked(name), seconds("pause", pause, 1), checkJob(job)));
    }

    private static NewJob<?> checkJob(NewJob<?> job) {
        if (job.id().isPresent() || job.at().isPresent() || !job.dependencies().isEmpty()) {
            throw new IllegalArgumentException("The schedule gives its jobs their ids and times, and they wait for no"
                    + " other job: leave out id, at and after.");
        }
        if (job.unique().isPresent()) {
            throw new IllegalArgumentException("The schedule makes its jobs one at a time: leave out unique.");
        }
        if (!job.tags().isEmpty()) {
            throw new IllegalArgumentException("The jobs of a schedule are found by its name: leave out tags.");
        }
        if (!job.headers().isEmpty()) {
            throw new IllegalArgumentException(
                    "Headers are of one addition, and no caller adds the jobs of a schedule:" + " leave out header.");
        }
        if (job.batch().isPresent()) {
            throw new IllegalArgumentException("A batch ends, and the schedule goes on: let the job of the schedule"
                    + " open a batch, and leave out batch.");
        }
        if (job.startBefore().isPresent()) {
            throw new IllegalArgumentException(
                    "A deadline is for one job, and the schedule makes many: use skippingAfter,"
                            + " and leave out startBefore.");
        }
        if (job.leavesAlone(JobState.PENDING)) {
            throw new IllegalArgumentException("A schedule never adds a job that exists: leave out ifAbsent.");
        }
        return job;
    }

    private static long seconds(String name, Duration duration, long min) {
        return Durations.wholeSeconds(name, duration, Duration.ofSeconds(min), Durations.LONGEST)
                .toSeconds();
    }

    private static Schedule of(ScheduleRequest request) {
        if (request.start() >= request.end()) {
            throw new IllegalArgumentException("A schedule ends after it starts; this one starts at "
                    + Instant.ofEpochSecond(request.start()) + " and ends at " + Instant.ofEpochSecond(request.end())
                    + ".");
        }
        if (request.isJitterTooLong()) {
            throw new IllegalArgumentException("The jitter of a schedule is shorter than the time between two firing"
                    + " times, which is " + DurationText.of(Duration.ofSeconds(request.shortestPeriod())) + "; this is "
                    + DurationText.of(Duration.ofSeconds(request.jitter())) + ".");
        }
        boolean overlaps = request.definition().overlap().addsAtClaim();
        if (overlaps && request.isAfterEach()) {
            throw new IllegalArgumentException("The jobs of afterEach follow one another: use every or cron with"
                    + " overlapping or cancellingPrevious.");
        }
        if (overlaps && request.passesResult()) {
            throw new IllegalArgumentException("A result is passed on when its job has ended: leave out overlapping,"
                    + " cancellingPrevious or passingResult.");
        }
        if (request.definition().overlap() == Overlap.CANCEL
                && request.job().sequence().isPresent()) {
            throw new IllegalArgumentException("The jobs of a sequence wait for one another, so none cancels the one"
                    + " before it: leave out sequence or cancellingPrevious.");
        }
        return new Schedule(request);
    }

    /**
     * This schedule from a time on.
     *
     * @param start no firing time is before it
     * @return the schedule
     * @throws IllegalArgumentException if it is before 1970, after 9999, or not before the end
     */
    public Schedule startingAt(Instant start) {
        return of(request.startingAt(start));
    }

    /**
     * This schedule up to a time.
     *
     * @param end all firing times are before it
     * @return the schedule
     * @throws IllegalArgumentException if it is before 1970, after 9999, or not after the start
     */
    public Schedule endingAt(Instant end) {
        return of(request.endingAt(end));
    }

    /**
     * This schedule with a random delay of each job, so that many schedules with the same firing times do not
     * all run at once.
     *
     * @param longest the longest delay, a whole number of seconds, shorter than the shortest time between two firing
     *     times
     * @return the schedule
     * @throws IllegalArgumentException if the delay is negative, too long, or no whole number of seconds
     */
    public Schedule jitter(Duration longest) {
        return of(request.jitter(seconds("jitter", longest, 0)));
    }

    /**
     * This schedule with several jobs for missed firing times: the one that waited, and then one for each of the
     * latest.
     *
     * @param most how many jobs in all, from 1 to {@value #MISSED_MAX}; by default 1
     * @return the schedule
     * @throws IllegalArgumentException if the number is out of its limits
     */
    public Schedule makeUpFor(int most) {
        if (most < 1 || most > MISSED_MAX) {
            throw new IllegalArgumentException(
                    "A schedule runs 1 to " + MISSED_MAX + " jobs for missed firing times; this is " + most + ".");
        }
        return new Schedule(request.makeUpFor(most));
    }

    /** {@return this schedule with one job, at once, for all firing times that pass while a job runs} */
    public Schedule queueing() {
        return of(request.with(Overlap.QUEUE));
    }

    /**
     * This schedule with a job for each firing time that comes while others run. All of them run. A job that has begun
     * is no longer the concern of the schedule: it is tried again if it fails, and {@link Schedules#pause} and
     * {@link Schedules#remove} let it go on.
     *
     * @return the schedule
     * @throws IllegalArgumentException if it is one of {@link #afterEach}, or passes results on
     */
    public Schedule overlapping() {
        return of(request.with(Overlap.ALLOW));
    }

    /**
     * This schedule with a job for each firing time that comes while another runs, or waits for its next attempt. The
     * transaction that claims a job cancels the one before it, unless that has ended, as {@link JobControl#cancel}
     * does; the reason names the job that was claimed. A job that has begun before the schedule was removed, or got
     * another type, goes on.
     *
     * @return the schedule
     * @throws IllegalArgumentException if it is one of {@link #afterEach}, passes results on, or has a sequence
     */
    public Schedule cancellingPrevious() {
        return of(request.with(Overlap.CANCEL));
    }

    /**
     * This schedule without late jobs: one that has not begun in time ends as {@link Outcome#EXPIRED}, and the next
     * follows ({@link NewJob#startBefore}).
     *
     * @param lateness how long after its firing time, and the longest jitter, a job may begin; a whole number of
     *     seconds, at least 1, up to 36,500 days
     * @return the schedule
     * @throws IllegalArgumentException if the time is not allowed
     */
    public Schedule skippingAfter(Duration lateness) {
        return new Schedule(request.skippingAfter(Duration.ofSeconds(seconds("lateness", lateness, 1))));
    }

    /**
     * This schedule with the result of each job as the data of the next, such as a position from which the next
     * continues. The data in {@link NewJob} is that of the first job.
     *
     * <p>If a job has no result, fails, is cancelled or is removed, the next one gets its data again. So it does if the
     * result has more than 1,000,000 bytes, with a warning in the log. {@link Schedules#put} with the same data in
     * {@link NewJob} keeps what was passed on; with other data, the next job gets that, and a job that has begun does
     * not pass its result on.
     *
     * @param <D> the type of data and result
     * @param type the type of the jobs, whose results have the type of its data
     * @return the schedule
     * @throws IllegalArgumentException if the jobs have another type, or the schedule lets them overlap
     */
    public <D> Schedule passingResult(JobType<D, D> type) {
        JobType<?, ?> own = request.job().type();
        if (!own.name().equals(type.name()) || !own.dataType().equals(type.resultType())) {
            throw new IllegalArgumentException("The jobs of schedule " + name() + " have type " + own + ", and not "
                    + type + " with equal types of data and result: pass the type of its job.");
        }
        return of(request.passingResult());
    }

    /** {@return the name} */
    public String name() {
        return request.name();
    }

    ScheduleRequest request() {
        return request;
    }

    @Override
    public String toString() {
        return request.toString();
    }
}
