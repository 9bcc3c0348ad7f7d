package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.PayloadTooLargeException;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.ScheduleInfo;
import dev.couchjobs.ScheduleNotFoundException;
import dev.couchjobs.UncommittedChangesException;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Schedules: each time has one job, added by the transaction that ends the one before. */
class RecurringJobsContract extends JobsContract {
    private static final String HOURLY = "hourly";
    private static final NewJob<WorkData> JOB = NewJob.of(INDEX, new WorkData(1));
    private static final Schedule EVERY_HOUR = Schedule.cron(HOURLY, "0 * * * *", ZoneOffset.UTC, JOB);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final JobType<String, ?> TEXT = JobType.of("text", String.class);

    private SettableClock clock;
    private CouchJobs timed;

    @BeforeEach
    void openAtHalfPastNoon() {
        clock = new SettableClock(NOON.plusSeconds(1_800));
        timed = node(clock);
    }

    private ScheduleInfo put(Schedule schedule) {
        return await(timed.schedules().put(database, schedule));
    }

    private ScheduleInfo get(String name) {
        return await(timed.schedules().get(database, name)).orElseThrow();
    }

    private Optional<Job<WorkData>> acceptDue() {
        return await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    private void finish(Job<WorkData> job) {
        await(timed.processor().finish(database, job));
    }

    private Job<WorkData> acceptAt(String time) {
        Job<WorkData> job = acceptDue().orElseThrow();
        assertThat(job.id()).isEqualTo(HOURLY + "@2026-11-21T" + time + ":00Z");
        return job;
    }

    private List<String> waiting() {
        return all(database, INDEX).stream()
                .filter(job -> job.state() == JobState.PENDING)
                .map(JobSummary::jobId)
                .toList();
    }

    // One job for each time

    @Test
    void aScheduleHasTheJobOfItsNextTime() {
        ScheduleInfo stored = put(EVERY_HOUR);

        assertThat(stored.firingTime()).contains(NOON.plus(HOUR));
        assertThat(stored.currentJob()).contains("hourly@2026-11-21T13:00:00Z");
        assertThat(stored.times()).isEqualTo("0 * * * * (Z)");
        assertThat(get(HOURLY)).isEqualTo(stored);
        assertThat(waiting()).containsExactly("hourly@2026-11-21T13:00:00Z");
        assertThat(scheduledTimeOf("hourly@2026-11-21T13:00:00Z")).contains(NOON.plus(HOUR));
        assertThat(acceptDue()).isEmpty();
    }

    @Test
    void theEndOfAJobAddsTheNext() {
        put(EVERY_HOUR);
        for (String time : List.of("13:00", "14:00", "15:00")) {
            clock.advance(HOUR);
            Job<WorkData> job = acceptAt(time);
            assertThat(job.data()).isEqualTo(new WorkData(1));
            assertThat(waiting()).isEmpty();
            finish(job);
        }
        assertThat(waiting()).containsExactly("hourly@2026-11-21T16:00:00Z");
    }

    private List<Instant> times(String name, int count) {
        return await(timed.schedules().firingTimes(database, name, count));
    }

    @Test
    void theNextTimesAndTheLastJobsAreTold() {
        put(EVERY_HOUR);
        assertThat(times(HOURLY, 2)).containsExactly(NOON.plus(HOUR), NOON.plus(HOUR.multipliedBy(2)));
        for (String time : List.of("13:00", "14:00", "15:00")) {
            clock.advance(HOUR);
            finish(acceptAt(time));
        }
        Instant never = NOON.plus(HOUR.multipliedBy(10_000)); // claims take any job that is due
        await(timed.add(database, JOB.id("hourly@my own").at(never)));
        await(timed.add(database, JOB.id("hourly").at(never)));

        assertThat(await(timed.schedules().jobs(database, HOURLY, 3)))
                .extracting(JobSummary::jobId, JobSummary::state)
                .containsExactly(
                        tuple("hourly@2026-11-21T16:00:00Z", JobState.PENDING),
                        tuple("hourly@2026-11-21T15:00:00Z", JobState.FINISHED),
                        tuple("hourly@2026-11-21T14:00:00Z", JobState.FINISHED));
        assertThat(times(HOURLY, 1)).containsExactly(NOON.plus(HOUR.multipliedBy(4)));
        clock.advance(HOUR);
        acceptAt("16:00");
        assertThat(times(HOURLY, 1)).containsExactly(NOON.plus(HOUR.multipliedBy(5)));
        await(timed.schedules().pause(database, HOURLY));
        assertThat(times(HOURLY, 5)).isEmpty();
        assertThat(await(timed.schedules().jobs(database, HOURLY, 100))).hasSize(4);
    }

    @Test
    void theTimesOfAScheduleThatEndsAreFew() {
        put(EVERY_HOUR.endingAt(NOON.plus(HOUR.multipliedBy(3))));
        assertThat(times(HOURLY, 100)).containsExactly(NOON.plus(HOUR), NOON.plus(HOUR.multipliedBy(2)));
        put(Schedule.afterEach("pauses", HOUR, JOB).startingAt(NOON.plus(HOUR)));
        assertThat(times("pauses", 5)).containsExactly(NOON.plus(HOUR));
        assertThatThrownBy(() -> timed.schedules().firingTimes(database, HOURLY, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> timed.schedules().jobs(database, HOURLY, 101))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(failureOf(timed.schedules().firingTimes(database, "none", 5)))
                .isInstanceOf(ScheduleNotFoundException.class);
        assertThat(failureOf(timed.schedules().jobs(database, "none", 5)))
                .isInstanceOf(ScheduleNotFoundException.class);
        assertThat(failureOf(database.runAsync(tx -> timed.add(tx, JOB.id("own"))
                        .thenCompose(done -> timed.schedules().jobs(tx, HOURLY, 5)))))
                .isInstanceOf(UncommittedChangesException.class);
    }

    @Test
    void theNextJobIsAddedByTheTransactionThatEndsTheOneBefore() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        CompletableFuture<?> aborted = database.runAsync(tx -> timed.processor()
                .finish(tx, job)
                .thenCompose(done -> CompletableFuture.failedFuture(new IllegalStateException("abort"))));
        assertThat(failureOf(aborted)).hasMessage("abort");
        assertThat(waiting()).isEmpty();

        commit(tx -> timed.processor().finish(tx, job).join());

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aJobThatIsTriedAgainComesBeforeTheNext() {
        put(Schedule.cron(
                HOURLY,
                "0 * * * *",
                ZoneOffset.UTC,
                JOB.retry(RetryPolicy.standard().attempts(2))));
        clock.advance(HOUR);
        await(timed.processor().fail(database, acceptAt("13:00"), new IllegalStateException("once")));
        assertThat(waiting()).containsExactly("hourly@2026-11-21T13:00:00Z");

        clock.advance(Duration.ofMinutes(5));
        await(timed.processor().fail(database, acceptAt("13:00"), new IllegalStateException("twice")));

        assertThat(stateOf("hourly@2026-11-21T13:00:00Z")).isEqualTo(JobState.FINISHED);
        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void theRemovalOfAJobAddsTheNext() {
        put(EVERY_HOUR);

        await(timed.remove(database, INDEX, "hourly@2026-11-21T13:00:00Z"));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aDeadLetterThatRunsAgainAddsNoFurtherJob() {
        put(Schedule.cron(HOURLY, "0 * * * *", ZoneOffset.UTC, JOB.retry(RetryPolicy.never())));
        clock.advance(HOUR);
        await(timed.processor().fail(database, acceptAt("13:00"), new IllegalStateException("once")));
        await(timed.deadLetters().retry(database, INDEX, "hourly@2026-11-21T13:00:00Z"));

        finish(acceptAt("13:00"));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void manySchedulesMoveOnInOneTransaction() {
        IntStream.range(0, 20).forEach(i -> put(Schedule.every("s" + i, HOUR, JOB)));
        clock.advance(HOUR);
        List<Job<WorkData>> claimed = new ArrayList<>();
        IntStream.range(0, 20).forEach(i -> claimed.add(acceptDue().orElseThrow()));

        commit(tx -> claimed.forEach(job -> timed.processor().finish(tx, job).join()));

        assertThat(waiting()).hasSize(20).allMatch(id -> id.endsWith("@2026-11-21T14:00:00Z"));
    }

    @Test
    void dataOfAMegabyteComesWithEachJob() {
        String large = "x".repeat(999_998);
        put(Schedule.every("large", HOUR, NewJob.of(TEXT, large)));
        for (int i = 0; i < 2; i++) {
            clock.advance(HOUR);
            Job<String> job = await(timed.processor().accept(TEXT, AcceptOptions.nonBlocking()))
                    .orElseThrow();
            assertThat(job.data()).isEqualTo(large);
            await(timed.processor().finish(database, job));
        }
    }

    // Times that pass

    @Test
    void allMissedTimesAreMadeUpForByOneJob() {
        put(EVERY_HOUR);
        clock.advance(Duration.ofHours(5));

        finish(acceptAt("13:00"));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T18:00:00Z");
    }

    @Test
    void orByAsManyAsAskedFor() {
        put(EVERY_HOUR.makeUpFor(3));
        clock.advance(Duration.ofHours(5)); // 13, 14, 15, 16 and 17 have passed

        finish(acceptAt("13:00"));
        finish(acceptAt("16:00"));
        finish(acceptAt("17:00"));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T18:00:00Z");
    }

    @Test
    void lateJobsAreSkippedIfTheScheduleSaysSo() {
        put(EVERY_HOUR.skippingAfter(Duration.ofMinutes(10)));
        clock.advance(HOUR.plus(Duration.ofMinutes(-20)).minusMillis(1)); // 13:09:59.999
        finish(acceptAt("13:00"));
        clock.advance(HOUR.plusMillis(1)); // 14:10

        assertThat(acceptDue()).isEmpty();

        assertThat(await(timed.getJob(database, INDEX, "hourly@2026-11-21T14:00:00Z"))
                        .orElseThrow()
                        .outcome())
                .contains(Outcome.EXPIRED);
        assertThat(waiting()).containsExactly("hourly@2026-11-21T15:00:00Z");
        clock.advance(Duration.ofMinutes(50));
        acceptAt("15:00");
    }

    @Test
    void aTimeThatPassesWhileAJobRunsIsSkipped() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        clock.advance(Duration.ofHours(2));
        assertThat(acceptDue()).isEmpty();

        finish(job);

        assertThat(waiting()).containsExactly("hourly@2026-11-21T16:00:00Z");
    }

    @Test
    void orMadeUpForByOneJobAtOnce() {
        put(EVERY_HOUR.queueing());
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        clock.advance(Duration.ofHours(2));

        finish(job);
        finish(acceptAt("15:00"));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T16:00:00Z");
    }

    @Test
    void aClockThatGoesBackRepeatsNoTime() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        clock.advance(HOUR.multipliedBy(-1));

        finish(job);

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aClockThatGoesBackByADayHasTheNextTimeOfThatDay() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        clock.advance(HOUR.multipliedBy(-24));

        finish(job);

        assertThat(waiting()).containsExactly("hourly@2026-11-20T14:00:00Z");
    }

    // Kinds of times

    @Test
    void aFixedRateCountsFromItsStart() {
        Instant start = NOON.plusSeconds(3_700);
        put(Schedule.every(HOURLY, Duration.ofMinutes(10), JOB).startingAt(start));
        assertThat(get(HOURLY).firingTime()).contains(start);

        clock.advance(Duration.ofMinutes(33));
        finish(acceptDue().orElseThrow());

        assertThat(get(HOURLY).firingTime()).contains(start.plusSeconds(600));
    }

    @Test
    void aPauseCountsFromTheEndOfAJob() {
        put(Schedule.afterEach(HOURLY, Duration.ofMinutes(10), JOB));
        Job<WorkData> first = acceptAt("12:30");
        clock.advance(Duration.ofMinutes(7));

        finish(first);

        assertThat(get(HOURLY).firingTime()).contains(NOON.plusSeconds(47 * 60));
    }

    @Test
    void afterItsEndAScheduleHasNoJob() {
        put(EVERY_HOUR.endingAt(NOON.plus(HOUR).plusMillis(1)));
        clock.advance(HOUR);

        finish(acceptAt("13:00"));

        assertThat(get(HOURLY).currentJob()).isEmpty();
        assertThat(waiting()).isEmpty();
    }

    @Test
    void aJitterDelaysTheJobAndNotTheTime() {
        put(EVERY_HOUR.jitter(Duration.ofMinutes(5)));

        assertThat(get(HOURLY).firingTime()).contains(NOON.plus(HOUR));
        assertThat(scheduledTimeOf("hourly@2026-11-21T13:00:00Z").orElseThrow())
                .isBetween(NOON.plus(HOUR), NOON.plus(HOUR).plusSeconds(300));
    }

    @Test
    void aJitterIsShorterThanThePeriod() {
        Duration second = Duration.ofSeconds(1);
        for (Schedule schedule : List.of(
                EVERY_HOUR,
                Schedule.every("s", HOUR, JOB),
                Schedule.afterEach("s", HOUR, JOB),
                Schedule.cron("s", "0 3,4,9 * * *", ZoneOffset.UTC, JOB))) {
            assertThat(schedule.jitter(HOUR.minus(second))).isNotNull();
            for (Duration longest : List.of(HOUR, HOUR.plus(second), Duration.ofDays(400))) {
                assertThatThrownBy(() -> schedule.jitter(longest))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("The jitter of a schedule is shorter than the time between two firing times, which"
                                + " is 1 h; this is " + DurationText.of(longest) + ".");
            }
        }
    }

    @Test
    void aTimeInAZoneIsALocalTime() {
        put(Schedule.cron(HOURLY, "0 9 * * MON", ZoneId.of("America/New_York"), JOB));

        assertThat(get(HOURLY).firingTime()).contains(Instant.parse("2026-11-23T14:00:00Z"));
    }

    // Changes

    @Test
    void theSameScheduleStaysAsItIs() {
        put(EVERY_HOUR);
        clock.advance(Duration.ofHours(5));

        assertThat(put(EVERY_HOUR).firingTime()).contains(NOON.plus(HOUR));
        finish(acceptAt("13:00"));
    }

    @Test
    void aChangedScheduleReplacesTheJobThatWaits() {
        put(EVERY_HOUR);

        put(Schedule.cron(HOURLY, "45 * * * *", ZoneOffset.UTC, JOB));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T12:45:00Z");
    }

    @Test
    void aScheduleWithOtherDataReplacesTheJobOfTheSameTime() {
        put(EVERY_HOUR);

        put(Schedule.cron(HOURLY, "0 * * * *", ZoneOffset.UTC, NewJob.of(INDEX, new WorkData(2))));

        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        assertThat(job.data()).isEqualTo(new WorkData(2));
        finish(job);
        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void anOverdueJobKeepsItsTimeWhenItsScheduleChanges() {
        put(EVERY_HOUR);
        clock.advance(HOUR);

        put(Schedule.cron(HOURLY, "45 * * * *", ZoneOffset.UTC, NewJob.of(INDEX, new WorkData(2))));

        Job<WorkData> job = acceptAt("13:00");
        assertThat(job.data()).isEqualTo(new WorkData(2));
        finish(job);
        assertThat(waiting()).containsExactly("hourly@2026-11-21T13:45:00Z");
    }

    @Test
    void aJobThatWasClaimedAheadAndReleasedStillWaits() {
        put(EVERY_HOUR);
        try (Worker worker = timed.worker()
                .handleAsync(INDEX, job -> new CompletableFuture<>())
                .concurrency(1)
                .shutdownTimeout(Duration.ZERO)
                .start()) {
            assertThat(worker.stuckSlots()).isZero();
        }

        await(timed.schedules().remove(database, HOURLY));

        assertThat(waiting()).isEmpty();
    }

    @Test
    void aJobThatHasBegunGoesOnAndTheNextIsThatOfTheChangedSchedule() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");

        put(Schedule.cron(HOURLY, "45 * * * *", ZoneOffset.UTC, JOB));
        assertThat(waiting()).isEmpty();
        finish(job);

        assertThat(waiting()).containsExactly("hourly@2026-11-21T13:45:00Z");
    }

    @Test
    void aScheduleMayGetJobsOfAnotherType() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");

        put(Schedule.cron(HOURLY, "0 * * * *", ZoneOffset.UTC, NewJob.of(MAIL, new WorkData(3))));
        finish(job);

        assertThat(waiting()).isEmpty();
        assertThat(all(database, MAIL)).extracting(JobSummary::jobId).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aPausedScheduleHasNoJobUntilItIsResumed() {
        put(EVERY_HOUR);

        assertThat(await(timed.schedules().pause(database, HOURLY)).isPaused()).isTrue();
        assertThat(waiting()).isEmpty();
        assertThat(put(EVERY_HOUR.makeUpFor(2)).isPaused()).isTrue();
        assertThat(waiting()).isEmpty();
        clock.advance(Duration.ofHours(5));
        await(timed.schedules().resume(database, HOURLY));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T18:00:00Z");
    }

    @Test
    void aJobThatHasBegunOutlivesAPause() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        await(timed.schedules().pause(database, HOURLY));

        finish(job);

        assertThat(get(HOURLY).currentJob()).isEmpty();
        assertThat(waiting()).isEmpty();
    }

    @Test
    void aPauseThatEndsWhileAJobRunsAddsNoSecondJob() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        await(timed.schedules().pause(database, HOURLY));
        await(timed.schedules().resume(database, HOURLY));
        assertThat(waiting()).isEmpty();

        finish(job);

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aJobThatRunsNowTakesThePlaceOfTheOneThatWaits() {
        put(EVERY_HOUR);
        clock.advance(Duration.ofMinutes(10));

        await(timed.schedules().runNow(database, HOURLY));
        await(timed.schedules().runNow(database, HOURLY));
        finish(acceptAt("12:40"));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T13:00:00Z");
    }

    @Test
    void aSecondJobThatRunsNowInTheSameSecondHasTheNext() {
        put(EVERY_HOUR);
        await(timed.schedules().pause(database, HOURLY));
        await(timed.schedules().runNow(database, HOURLY));
        finish(acceptAt("12:30"));

        assertThat(await(timed.schedules().runNow(database, HOURLY)).currentJob())
                .contains("hourly@2026-11-21T12:30:01Z");

        clock.advance(Duration.ofSeconds(1));
        finish(acceptDue().orElseThrow());
        assertThat(waiting()).isEmpty();
    }

    @Test
    void anOverdueJobRunsNowAsItIs() {
        put(EVERY_HOUR.makeUpFor(3));
        clock.advance(Duration.ofHours(3));

        await(timed.schedules().runNow(database, HOURLY));

        finish(acceptAt("13:00"));
        finish(acceptAt("14:00"));
        finish(acceptAt("15:00"));
    }

    @Test
    void aPauseTakesBackWhatIsToRunAgain() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        await(timed.schedules().runNow(database, HOURLY));
        await(timed.schedules().pause(database, HOURLY));

        finish(job);

        assertThat(waiting()).isEmpty();
    }

    @Test
    void aJobThatIsToRunNowFollowsTheOneThatRuns() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        await(timed.schedules().runNow(database, HOURLY));
        assertThat(waiting()).isEmpty();
        clock.advance(Duration.ofMinutes(3));

        finish(job);
        finish(acceptAt("13:33"));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aPausedScheduleRunsNowOnce() {
        put(EVERY_HOUR);
        await(timed.schedules().pause(database, HOURLY));

        await(timed.schedules().runNow(database, HOURLY));
        finish(acceptAt("12:30"));

        assertThat(waiting()).isEmpty();
        assertThat(get(HOURLY).isPaused()).isTrue();
    }

    @Test
    void aRemovedScheduleHasNoJobButTheOneThatRuns() {
        put(EVERY_HOUR);
        put(Schedule.every("other", HOUR, JOB));
        await(timed.schedules().remove(database, "other"));
        assertThat(waiting()).containsExactly("hourly@2026-11-21T13:00:00Z");
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        await(timed.schedules().remove(database, HOURLY));

        assertThat(await(timed.schedules().get(database, HOURLY))).isEmpty();
        assertThat(await(timed.schedules().list(database, PageRequest.of(10))).items())
                .isEmpty();

        finish(job);

        assertThat(waiting()).isEmpty();
        assertThat(await(timed.schedules().get(database, HOURLY))).isEmpty();
        await(timed.schedules().remove(database, HOURLY));
    }

    @Test
    void aScheduleThatIsPutWhileItsRemovedJobRunsWaitsForThatJob() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        await(timed.schedules().remove(database, HOURLY));

        put(EVERY_HOUR.makeUpFor(2));
        assertThat(waiting()).isEmpty();
        finish(job);

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void noTimeIsRepeatedWhereNothingOfItsJobIsKept() {
        JobType<WorkData, ?> vanishing = JobType.of("vanishing", WorkData.class).retention(Retention.of(Duration.ZERO));
        put(Schedule.every(HOURLY, HOUR, NewJob.of(vanishing, new WorkData(1))));
        clock.advance(HOUR);
        finish(await(timed.processor().accept(vanishing, AcceptOptions.nonBlocking()))
                .orElseThrow());
        await(timed.schedules().pause(database, HOURLY));
        clock.advance(Duration.ofSeconds(-1)); // by a process whose clock is behind

        assertThat(await(timed.schedules().resume(database, HOURLY)).firingTime())
                .contains(NOON.plus(HOUR.multipliedBy(2)));
    }

    @Test
    void aRetryPolicyWithPartsOfAMillisecondIsNoChange() {
        Schedule schedule = Schedule.every(
                HOURLY,
                HOUR,
                JOB.retry(RetryPolicy.standard().backoff(Duration.ofNanos(1_500_000), 2, Duration.ofSeconds(1))));
        put(schedule);
        clock.advance(HOUR);

        assertThat(put(schedule).firingTime()).contains(NOON.plus(HOUR));
    }

    @Test
    void aScheduleThatIsPutAgainDoesNotRepeatATime() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        finish(acceptAt("13:00"));
        await(timed.schedules().remove(database, HOURLY));
        clock.advance(Duration.ofMinutes(-45));

        put(EVERY_HOUR);

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aScheduleIsPutByTheCommitOfItsTransaction() {
        CompletableFuture<?> aborted = database.runAsync(tx -> timed.schedules()
                .put(tx, EVERY_HOUR)
                .thenCompose(stored -> timed.schedules().get(tx, HOURLY))
                .thenCompose(found -> CompletableFuture.failedFuture(new IllegalStateException("found " + found))));
        assertThat(failureOf(aborted)).hasMessageContaining("found Optional[ScheduleInfo[name=hourly");
        assertThat(await(timed.schedules().get(database, HOURLY))).isEmpty();

        commit(tx -> {
            timed.schedules().put(tx, EVERY_HOUR).join();
            timed.schedules().pause(tx, HOURLY).join();
            timed.schedules().resume(tx, HOURLY).join();
        });
        assertThat(waiting()).containsExactly("hourly@2026-11-21T13:00:00Z");
    }

    // Declared by a worker

    @Test
    void aWorkerPutsWhatItDeclaresAndRunsIt() {
        CompletableFuture<Optional<Instant>> firingTime = new CompletableFuture<>();
        Schedule schedule = Schedule.afterEach("declared", HOUR, JOB);
        try (Worker worker = timed.worker()
                .handleAsync(INDEX, job -> {
                    firingTime.complete(job.firingTime());
                    return CompletableFuture.completedFuture(null);
                })
                .schedule(schedule)
                .start()) {
            assertThat(await(firingTime)).contains(NOON.plusSeconds(1_800));
            assertThat(worker.stuckSlots()).isZero();
        }

        assertThat(get("declared").firingTime()).contains(NOON.plusSeconds(5_400));
    }

    @Test
    void aWorkerDeclaresEachScheduleOnceAndHasItsHandler() {
        WorkerBuilder worker = timed.worker()
                .handleAsync(MAIL, job -> CompletableFuture.completedFuture(null))
                .schedule(EVERY_HOUR);

        assertThatThrownBy(() -> worker.schedule(Schedule.every(HOURLY, HOUR, JOB)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("declares schedule hourly twice");
        assertThatThrownBy(worker::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("schedule for type index");
    }

    @Test
    void callsOfOneTransactionTakeEffectInTheirOrder() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");

        await(database.runAsync(tx -> CompletableFuture.allOf(
                timed.schedules().pause(tx, HOURLY),
                timed.processor().finish(tx, job),
                timed.schedules().put(tx, EVERY_HOUR.makeUpFor(2)),
                timed.schedules().put(tx, Schedule.every("new", HOUR, JOB)),
                timed.schedules().put(tx, Schedule.every("new", HOUR.multipliedBy(2), JOB)),
                timed.schedules().resume(tx, HOURLY))));

        assertThat(get(HOURLY).isPaused()).isFalse();
        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z", "new@2026-11-21T14:00:00Z");
    }

    @Test
    void aPauseAndAResumeInOneTransactionLeaveOneJob() {
        put(EVERY_HOUR);

        await(database.runAsync(tx -> CompletableFuture.allOf(
                timed.schedules().pause(tx, HOURLY), timed.schedules().resume(tx, HOURLY))));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T13:00:00Z");
    }

    @Test
    void aClockAYearAheadIsMendedByAPause() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        clock.advance(Duration.ofDays(365));
        finish(job);
        clock.advance(Duration.ofDays(-365));
        assertThat(waiting()).containsExactly("hourly@2027-11-21T14:00:00Z");

        await(timed.schedules().pause(database, HOURLY));
        await(timed.schedules().resume(database, HOURLY));

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void manyTimesThatHaveJobsArePassedOverAtOnce() {
        put(Schedule.every(HOURLY, Duration.ofSeconds(1), JOB));
        for (int i = 0; i < 50; i++) {
            clock.advance(Duration.ofSeconds(1));
            finish(acceptDue().orElseThrow());
        }
        await(timed.schedules().remove(database, HOURLY));
        clock.advance(Duration.ofSeconds(-50));

        put(Schedule.every(HOURLY, Duration.ofSeconds(1), JOB));

        assertThat(get(HOURLY).firingTime()).contains(NOON.plusSeconds(1_851));
    }

    // Listings and errors

    @Test
    void schedulesAreListedByName() {
        IntStream.range(0, 5).forEach(i -> put(Schedule.every("s" + i, HOUR, JOB)));

        Page<ScheduleInfo> first = await(timed.schedules().list(database, PageRequest.of(3)));
        Page<ScheduleInfo> second = await(timed.schedules()
                .list(database, PageRequest.of(3).after(first.next().orElseThrow())));
        Page<ScheduleInfo> last =
                await(timed.schedules().list(database, PageRequest.of(2).newestFirst()));

        assertThat(first.items()).extracting(ScheduleInfo::name).containsExactly("s0", "s1", "s2");
        assertThat(second.items()).extracting(ScheduleInfo::name).containsExactly("s3", "s4");
        assertThat(second.next()).isEmpty();
        assertThat(last.items()).extracting(ScheduleInfo::name).containsExactly("s4", "s3");
    }

    @Test
    void whatIsNotThereCannotBePausedResumedOrRun() {
        assertThat(failureOf(timed.schedules().pause(database, "nothing")))
                .isInstanceOf(ScheduleNotFoundException.class)
                .hasMessageContaining("nothing");
        assertThat(failureOf(timed.schedules().resume(database, "nothing")))
                .isInstanceOf(ScheduleNotFoundException.class);
        assertThat(failureOf(timed.schedules().runNow(database, "nothing")))
                .isInstanceOf(ScheduleNotFoundException.class);
    }

    @Test
    void whatAScheduleCannotHaveIsRefused() {
        assertThatThrownBy(() -> Schedule.every("s", Duration.ofMillis(1_500), JOB))
                .hasMessageContaining("whole number of seconds");
        assertThatThrownBy(() -> Schedule.every("s", Duration.ZERO, JOB))
                .hasMessageContaining("from 1 s to 36,500 days");
        assertThatThrownBy(() -> Schedule.every("", HOUR, JOB)).hasMessageContaining("1 to 500 bytes");
        assertThatThrownBy(() -> Schedule.every("s".repeat(501), HOUR, JOB)).hasMessageContaining("501");
        assertThatThrownBy(() -> Schedule.every("s", HOUR, JOB.id("j"))).hasMessageContaining("leave out id");
        assertThatThrownBy(() -> Schedule.every("s", HOUR, JOB.at(NOON))).hasMessageContaining("leave out id");
        assertThatThrownBy(() -> Schedule.every("s", HOUR, JOB.ifAbsent())).hasMessageContaining("ifAbsent");
        assertThatThrownBy(() -> Schedule.afterEach("s", Duration.ofSeconds(Long.MAX_VALUE), JOB))
                .hasMessageContaining("to 36,500 days");
        assertThatThrownBy(() -> EVERY_HOUR.startingAt(Instant.MAX)).hasMessageContaining("from 1970 to 9999");
        assertThatThrownBy(() -> EVERY_HOUR.startingAt(NOON).endingAt(NOON))
                .hasMessageContaining("ends after it starts");
        assertThatThrownBy(() -> put(Schedule.every("s", HOUR, NewJob.of(TEXT, "x".repeat(1_000_000)))))
                .isInstanceOf(PayloadTooLargeException.class);
        assertThatThrownBy(() -> EVERY_HOUR.makeUpFor(0)).hasMessageContaining("1 to 1000 jobs");
        assertThatThrownBy(() -> EVERY_HOUR.jitter(Duration.ofSeconds(-1)))
                .hasMessageContaining("from zero to 36,500 days");
    }

    @Test
    void aScheduleWhoseJobIsInQuarantineGetsAnotherWhenItIsPutAgain() {
        put(EVERY_HOUR);
        byte[] key = prefix.pack(Tuple.from("couch_jobs", "data", INDEX.name(), "hourly@2026-11-21T13:00:00Z"));
        commit(tx -> tx.set(key, new byte[] {0x7F}));
        clock.advance(HOUR);
        assertThat(acceptDue()).isEmpty();

        put(EVERY_HOUR);

        assertThat(waiting()).containsExactly("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aJobEndsAlsoWhereItsZoneIsUnknown() {
        put(Schedule.cron(HOURLY, "0 * * * *", ZoneId.of("Europe/Berlin"), JOB));
        byte[] key = prefix.pack(Tuple.from("couch_jobs", "schedules", HOURLY));
        commit(tx -> tx.set(key, withZone(tx.get(key).join(), "Europe/Atlantis")));
        clock.advance(HOUR);

        finish(acceptAt("13:00"));

        assertThat(get(HOURLY).currentJob()).isEmpty();
        assertThat(put(EVERY_HOUR).firingTime()).contains(NOON.plus(HOUR.multipliedBy(2)));
    }

    private static byte[] withZone(byte[] value, String zone) {
        Tuple row = Tuple.fromBytes(value);
        Tuple definition = row.getNestedTuple(0);
        Tuple times = definition.getNestedTuple(1);
        Tuple other = Tuple.from(definition.get(0), Tuple.from(times.get(0), times.get(1), zone))
                .addAll(definition.getItems().subList(2, definition.size()));
        return Tuple.from(other).addAll(row.getItems().subList(1, row.size())).pack();
    }

    @Test
    void aDamagedScheduleKeepsNoJobFromEnding() {
        put(EVERY_HOUR);
        clock.advance(HOUR);
        Job<WorkData> job = acceptAt("13:00");
        byte[] key = prefix.pack(Tuple.from("couch_jobs", "schedules", HOURLY));
        commit(tx -> tx.set(key, new byte[] {0x7F}));
        assertThat(failureOf(timed.schedules().get(database, HOURLY))).isInstanceOf(UndecodableRowException.class);
        assertThat(await(timed.schedules().list(database, PageRequest.of(10))).items())
                .isEmpty();

        finish(job);

        assertThat(stateOf(job.id())).isEqualTo(JobState.FINISHED);
        assertThat(await(timed.quarantine().list(database, INDEX, PageRequest.of(10)))
                        .items())
                .hasSize(1);
        assertThat(put(EVERY_HOUR).firingTime()).contains(NOON.plus(HOUR.multipliedBy(2)));
    }
}
