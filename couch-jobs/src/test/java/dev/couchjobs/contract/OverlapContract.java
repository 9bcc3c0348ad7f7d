package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobCancelledException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.ScheduleInfo;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Schedules whose jobs may overlap, or cancel one another: the claim of a job adds the next. */
class OverlapContract extends JobsContract {
    private static final String HOURLY = "hourly";
    private static final NewJob<WorkData> JOB = NewJob.of(INDEX, new WorkData(1));
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Schedule SKIPPING = Schedule.cron(HOURLY, "0 * * * *", ZoneOffset.UTC, JOB);
    private static final Schedule OVERLAPPING = SKIPPING.overlapping();
    private static final Schedule CANCELLING = SKIPPING.cancellingPrevious();

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

    private Optional<Job<WorkData>> acceptDue() {
        return await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    private static String id(String time) {
        return HOURLY + "@2026-11-21T" + time + ":00Z";
    }

    private Job<WorkData> acceptAt(String time) {
        Job<WorkData> job = acceptDue().orElseThrow();
        assertThat(job.id()).isEqualTo(id(time));
        return job;
    }

    private void finish(Job<WorkData> job) {
        await(timed.processor().finish(database, job));
    }

    private List<String> waiting() {
        return inState(JobState.PENDING);
    }

    private List<String> inState(JobState state) {
        return all(database, INDEX).stream()
                .filter(job -> job.state() == state)
                .map(JobSummary::jobId)
                .toList();
    }

    private JobInfo<WorkData, ?> info(String id) {
        return await(jobs.getJob(database, INDEX, id)).orElseThrow();
    }

    // Overlap

    @Test
    void theClaimOfAJobAddsTheNextWhichRunsBesideIt() {
        put(OVERLAPPING);
        assertThat(waiting()).containsExactly(id("13:00"));
        clock.advance(HOUR);

        acceptAt("13:00");
        assertThat(waiting()).containsExactly(id("14:00"));
        assertThat(acceptDue()).isEmpty();
        clock.advance(HOUR);
        acceptAt("14:00");

        assertThat(inState(JobState.RUNNING)).containsExactly(id("13:00"), id("14:00"));
        assertThat(await(timed.schedules().get(database, HOURLY)).orElseThrow().currentJob())
                .contains(id("15:00"));
    }

    @Test
    void theEndsOfOverlappingJobsAddNone() {
        put(OVERLAPPING);
        clock.advance(HOUR);
        Job<WorkData> first = acceptAt("13:00");
        clock.advance(HOUR);
        Job<WorkData> second = acceptAt("14:00");

        finish(second);
        finish(first);

        assertThat(waiting()).containsExactly(id("15:00"));
        assertThat(inState(JobState.FINISHED)).containsExactly(id("13:00"), id("14:00"));
    }

    @Test
    void aFurtherAttemptAddsNoFurtherJob() {
        put(Schedule.cron(
                        HOURLY,
                        "0 * * * *",
                        ZoneOffset.UTC,
                        JOB.retry(RetryPolicy.standard()
                                .attempts(2)
                                .backoff(Duration.ofMinutes(5), 1, Duration.ofMinutes(5))))
                .overlapping());
        clock.advance(HOUR);
        await(timed.processor().fail(database, acceptAt("13:00"), new IllegalStateException("once")));
        assertThat(waiting()).containsExactly(id("13:00"), id("14:00"));

        clock.advance(Duration.ofMinutes(20));
        finish(acceptAt("13:00"));

        assertThat(waiting()).containsExactly(id("14:00"));
    }

    @Test
    void missedTimesAreMadeUpForAsTheyAreClaimed() {
        put(OVERLAPPING.makeUpFor(3));
        clock.advance(Duration.ofHours(5)); // 13, 14, 15, 16 and 17 have passed

        acceptAt("13:00");
        acceptAt("16:00");
        acceptAt("17:00");

        assertThat(waiting()).containsExactly(id("18:00"));
    }

    @Test
    void orByOneJob() {
        put(OVERLAPPING);
        clock.advance(Duration.ofHours(5));

        acceptAt("13:00");

        assertThat(waiting()).containsExactly(id("18:00"));
    }

    @Test
    void theRemovalOfAJobThatWaitsAddsTheNext() {
        put(OVERLAPPING);

        await(timed.remove(database, INDEX, id("13:00")));

        assertThat(waiting()).containsExactly(id("14:00"));
    }

    @Test
    void manySchedulesMoveOnWithTheClaimsOfAWorker() {
        IntStream.range(0, 20)
                .forEach(i -> put(Schedule.every("s" + i, HOUR, JOB).overlapping()));
        clock.advance(HOUR);
        List<CompletableFuture<Boolean>> begun = new ArrayList<>();
        Map<String, CompletableFuture<Boolean>> ids = new ConcurrentHashMap<>();
        IntStream.range(0, 20).forEach(i -> {
            CompletableFuture<Boolean> handled = new CompletableFuture<>();
            begun.add(handled);
            ids.put("s" + i + "@2026-11-21T13:00:00Z", handled);
        });

        try (Worker worker = timed.worker()
                .concurrency(20)
                .handleAsync(INDEX, job -> {
                    ids.getOrDefault(job.id(), new CompletableFuture<>()).complete(true);
                    return CompletableFuture.completedFuture(null);
                })
                .start()) {
            begun.forEach(each -> assertThat(await(each)).isTrue());
            assertThat(worker.stuckSlots()).isZero();
        }

        assertThat(waiting()).hasSize(20).allMatch(id -> id.endsWith("@2026-11-21T14:00:00Z"));
    }

    @Test
    void aPauseRemovesTheJobThatWaitsAndAResumeAddsTheNext() {
        put(OVERLAPPING);
        clock.advance(HOUR);
        Job<WorkData> first = acceptAt("13:00");

        await(timed.schedules().pause(database, HOURLY));
        assertThat(waiting()).isEmpty();
        assertThat(stateOf(first.id())).isEqualTo(JobState.RUNNING);
        await(timed.schedules().resume(database, HOURLY));
        finish(first);

        assertThat(waiting()).containsExactly(id("14:00"));
    }

    @Test
    void aJobThatRunsNowRunsBesideTheOthers() {
        put(OVERLAPPING);
        clock.advance(HOUR);
        acceptAt("13:00");
        clock.advance(Duration.ofMinutes(10));

        await(timed.schedules().runNow(database, HOURLY));
        acceptAt("13:40");

        assertThat(inState(JobState.RUNNING)).containsExactly(id("13:00"), id("13:40"));
        assertThat(waiting()).containsExactly(id("14:00"));
    }

    @Test
    void aPausedScheduleRunsNowWithoutANextJob() {
        put(OVERLAPPING);
        await(timed.schedules().pause(database, HOURLY));
        await(timed.schedules().runNow(database, HOURLY));

        acceptAt("12:30");

        assertThat(waiting()).isEmpty();
    }

    @Test
    void aRemovalLetsTheJobsThatHaveBegunGoOn() {
        put(OVERLAPPING);
        clock.advance(HOUR);
        Job<WorkData> first = acceptAt("13:00");

        await(timed.schedules().remove(database, HOURLY));
        assertThat(await(timed.schedules().get(database, HOURLY))).isEmpty();
        finish(first);

        assertThat(all(database, INDEX)).extracting(JobSummary::jobId).containsExactly(id("13:00"));
    }

    @Test
    void aScheduleThatComesToOverlapDoesNotWaitForTheJobThatHasBegun() {
        put(SKIPPING);
        clock.advance(HOUR);
        Job<WorkData> first = acceptAt("13:00");
        assertThat(waiting()).isEmpty();

        put(OVERLAPPING);
        assertThat(waiting()).containsExactly(id("14:00"));
        finish(first);

        assertThat(waiting()).containsExactly(id("14:00"));
    }

    @Test
    void aScheduleThatNoLongerOverlapsWaitsForTheEndOfItsNextJob() {
        put(OVERLAPPING);
        clock.advance(HOUR);
        Job<WorkData> first = acceptAt("13:00");
        put(SKIPPING);
        finish(first);
        clock.advance(HOUR);

        Job<WorkData> second = acceptAt("14:00");
        assertThat(waiting()).isEmpty();
        finish(second);

        assertThat(waiting()).containsExactly(id("15:00"));
    }

    @Test
    void theNextJobIsAddedByTheClaimAlsoIfAnotherProcessClaims() {
        put(OVERLAPPING);
        clock.advance(HOUR);
        CouchJobs other = node(clock);

        Job<WorkData> job = await(other.processor().accept(INDEX, AcceptOptions.nonBlocking()))
                .orElseThrow();

        assertThat(job.id()).isEqualTo(id("13:00"));
        assertThat(job.firingTime()).contains(NOON.plus(HOUR));
        assertThat(waiting()).containsExactly(id("14:00"));
    }

    // Cancellation

    @Test
    void theClaimOfAJobCancelsTheOneBeforeIt() {
        put(CANCELLING);
        clock.advance(HOUR);
        Job<WorkData> first = acceptAt("13:00");
        CompletableFuture<Void> result = jobs.resultAsync(WORK, first.id(), LONG);
        clock.advance(HOUR);

        acceptAt("14:00");

        assertThat(failureOf(result))
                .isInstanceOfSatisfying(
                        JobCancelledException.class,
                        cancelled ->
                                assertThat(cancelled.reason()).isEqualTo("The schedule has started " + id("14:00")));
        assertThat(failureOf(timed.processor().finish(database, first))).isInstanceOf(JobHaltedException.class);
        assertThat(inState(JobState.RUNNING)).containsExactly(id("14:00"));
        assertThat(waiting()).containsExactly(id("15:00"));
    }

    @Test
    void theHandlerOfACancelledJobIsTold() {
        put(CANCELLING);
        clock.advance(HOUR);
        CompletableFuture<String> begun = new CompletableFuture<>();
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        try (Worker worker = timed.worker()
                .concurrency(1)
                .process(WORK, job -> {
                    begun.complete(job.id());
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        told.complete(job.isCancelled());
                    }
                })
                .start()) {
            assertThat(await(begun)).isEqualTo(id("13:00"));
            clock.advance(HOUR);
            acceptAt("14:00");

            assertThat(await(told)).isTrue();
            assertThat(worker.stuckSlots()).isZero();
        }
    }

    @Test
    void aJobThatWaitsForItsNextAttemptIsCancelledToo() {
        put(Schedule.cron(
                        HOURLY,
                        "0 * * * *",
                        ZoneOffset.UTC,
                        JOB.retry(RetryPolicy.standard().backoff(Duration.ofHours(9), 1, Duration.ofHours(9))))
                .cancellingPrevious());
        clock.advance(HOUR);
        await(timed.processor().fail(database, acceptAt("13:00"), new IllegalStateException("once")));
        clock.advance(HOUR);

        acceptAt("14:00");

        assertThat(info(id("13:00")).outcome()).contains(Outcome.CANCELLED);
    }

    @Test
    void aJobThatHasEndedStaysAsItIs() {
        put(CANCELLING);
        clock.advance(HOUR);
        finish(acceptAt("13:00"));
        clock.advance(HOUR);

        acceptAt("14:00");

        assertThat(info(id("13:00")).outcome()).contains(Outcome.SUCCEEDED);
    }

    @Test
    void aJobThatBeganBeforeAPauseIsCancelledAfterIt() {
        put(CANCELLING);
        clock.advance(HOUR);
        acceptAt("13:00");
        await(timed.schedules().pause(database, HOURLY));
        await(timed.schedules().resume(database, HOURLY));
        clock.advance(HOUR);

        acceptAt("14:00");

        assertThat(info(id("13:00")).outcome()).contains(Outcome.CANCELLED);
    }

    @Test
    void aJobThatRunsNowCancelsTheOneBeforeIt() {
        put(CANCELLING);
        clock.advance(HOUR);
        acceptAt("13:00");
        clock.advance(Duration.ofMinutes(10));
        await(timed.schedules().runNow(database, HOURLY));

        acceptAt("13:40");

        assertThat(inState(JobState.RUNNING)).containsExactly(id("13:40"));
    }

    @Test
    void aScheduleThatComesToCancelDoesSoWithTheJobThatHasBegun() {
        put(SKIPPING);
        clock.advance(HOUR);
        acceptAt("13:00");
        put(CANCELLING);
        clock.advance(HOUR);

        acceptAt("14:00");

        assertThat(inState(JobState.RUNNING)).containsExactly(id("14:00"));
    }

    @Test
    void whatExcludesOverlapIsRefused() {
        Schedule pause = Schedule.afterEach("s", HOUR, JOB);
        assertThatThrownBy(pause::overlapping).hasMessageContaining("use every or cron");
        assertThatThrownBy(pause::cancellingPrevious).hasMessageContaining("use every or cron");
        Schedule inSequence = Schedule.every("s", HOUR, JOB.sequence("key"));
        assertThatThrownBy(inSequence::cancellingPrevious).hasMessageContaining("leave out sequence");
    }

    @Test
    void onlySchedulesThatOverlapKeepOlderCodeFromReading() {
        StoredRows rows = new StoredRows(database, prefix);
        put(SKIPPING.queueing());
        assertThat(rows.value("layout")).containsExactly(12L, 1L, 12L, "", "", "", 1L << 2);

        put(OVERLAPPING);

        assertThat(rows.value("layout")).containsExactly(12L, 9L, 12L, "", "", "", 1L << 2 | 1L << 9);
    }
}
