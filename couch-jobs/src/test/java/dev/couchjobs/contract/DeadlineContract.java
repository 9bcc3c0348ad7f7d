package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobExpiredException;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that has not begun by its deadline ends as expired, and never begins. */
class DeadlineContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class)
            .retry(RetryPolicy.standard().attempts(3).backoff(Duration.ZERO, 1, Duration.ZERO))
            .retention(Retention.forever());
    private static final Instant DEADLINE = NOON.plusMillis(60_500);
    private static final Duration UNTIL_LATE = Duration.ofMillis(60_500);

    private SettableClock clock;
    private CouchJobs timed;
    private StoredRows rows;

    @BeforeEach
    void openNode() {
        clock = new SettableClock(NOON);
        timed = node(clock);
        rows = new StoredRows(database, prefix);
    }

    private static NewJob<WorkData> job(String id) {
        return NewJob.of(WORK, new WorkData(1)).id(id).startBefore(DEADLINE);
    }

    private void put(NewJob<?>... newJobs) {
        await(timed.addAll(database, List.of(newJobs)));
    }

    private Optional<Job<WorkData>> claim() {
        return await(timed.processor().accept(WORK, AcceptOptions.nonBlocking()));
    }

    private JobInfo<WorkData, Void> info(String id) {
        return await(jobs.getJob(database, WORK, id)).orElseThrow();
    }

    private Optional<Outcome> outcome(String id) {
        return info(id).outcome();
    }

    /** Lets the time pass, and another process serve the type until a job has changed. */
    private void sweptAfter(Duration time, String id) {
        CompletableFuture<Void> changed = rows.nextChange("data", INDEX.name(), id);
        clock.advance(time);
        node(clock).maintenance().monitor(WORK);
        await(changed);
    }

    @Test
    void aClaimEndsALateJobInPlaceOfRunningIt() {
        put(job("late"), NewJob.of(WORK, new WorkData(2)).id("other"));
        assertThat(info("late").startBefore()).contains(DEADLINE);

        clock.advance(UNTIL_LATE);

        assertThat(claim().map(Job::id)).contains("other");
        assertThat(claim()).isEmpty();
        JobInfo<WorkData, Void> late = info("late");
        assertThat(late.outcome()).contains(Outcome.EXPIRED);
        assertThat(late.error()).hasValueSatisfying(error -> assertThat(error).contains("2026-11-21T12:01:00.500Z"));
        assertThat(late.lastAttempt()).isEmpty();
        assertThat(await(jobs.counts(database, WORK))).isEqualTo(new JobCounts(0, 0, 1, 0, 0, 0, 1));
    }

    @Test
    void aJobThatIsClaimedInTimeRuns() {
        put(job("j1"));
        clock.advance(UNTIL_LATE.minusMillis(1));

        Job<WorkData> job = claim().orElseThrow();
        clock.advance(UNTIL_LATE);

        await(timed.processor().finish(database, job));
        assertThat(outcome("j1")).contains(Outcome.SUCCEEDED);
    }

    @Test
    void furtherAttemptsHaveNoDeadline() {
        put(job("j1"));
        await(timed.processor().fail(database, claim().orElseThrow(), new IllegalStateException("no paper")));
        clock.advance(UNTIL_LATE);

        Job<WorkData> again = claim().orElseThrow();

        assertThat(info("j1").startBefore()).isEmpty();
        await(timed.processor().finish(database, again));
        assertThat(outcome("j1")).contains(Outcome.SUCCEEDED);
    }

    @Test
    void lateJobsEndWithoutAProcessThatClaims() {
        put(job("late"));

        sweptAfter(UNTIL_LATE.plusSeconds(1), "late");

        assertThat(outcome("late")).contains(Outcome.EXPIRED);
        assertThat(rows.under("retire")).isEmpty();
    }

    @Test
    void lateJobsEndWhateverTheyWaitFor() {
        put(NewJob.of(WORK, new WorkData(0)).id("first").sequence("order-17"));
        put(
                job("scheduled").at(NOON.plus(Duration.ofDays(1))),
                job("blocked").after(WORK, "first"),
                job("held").sequence("order-17"),
                job("ranked").priority(7),
                job("turn").turnKey("tenant-7"),
                job("limited-1").limitKey("tenant-7"),
                job("limited-2").limitKey("tenant-7"));
        await(timed.limits().set(database, WORK, 1));

        sweptAfter(UNTIL_LATE.plusSeconds(1), "limited-2");

        assertThat(Stream.of("scheduled", "blocked", "held", "ranked", "turn", "limited-1", "limited-2"))
                .allSatisfy(id -> assertThat(outcome(id)).as(id).contains(Outcome.EXPIRED));
        assertThat(await(jobs.counts(database, WORK))).isEqualTo(new JobCounts(1, 0, 0, 0, 0, 0, 7));
        await(timed.processor().finish(database, claim().orElseThrow()));
        for (String table : List.of("waits_for", "dependents", "limited", "slots", "sequences", "sequence_queue")) {
            assertThat(rows.under(table)).as(table).isEmpty();
        }
    }

    @Test
    void aLateJobOfAPausedTypeEnds() {
        await(jobs.types().pause(database, WORK, "deploying"));
        put(job("late"));

        sweptAfter(UNTIL_LATE.plusSeconds(1), "late");

        assertThat(outcome("late")).contains(Outcome.EXPIRED);
    }

    @Test
    void aLateJobOfAPausedLimitKeyEnds() {
        await(jobs.limits().pause(database, WORK, "tenant-7"));
        put(job("late").limitKey("tenant-7"));

        sweptAfter(UNTIL_LATE.plusSeconds(1), "late");

        assertThat(outcome("late")).contains(Outcome.EXPIRED);
        assertThat(rows.under("limited")).isEmpty();
    }

    @Test
    void claimsGoOnBehindManyLateJobs() {
        put(IntStream.range(0, 300).mapToObj(i -> job("late-" + i)).toArray(NewJob<?>[]::new));
        clock.advance(UNTIL_LATE);
        put(NewJob.of(WORK, new WorkData(2)).id("other"));

        assertThat(await(timed.processor().accept(WORK)).map(Job::id)).contains("other");
    }

    @Test
    void aLateJobWithALimitKeyPassesItsSlotOn() {
        await(timed.limits().set(database, WORK, 1));
        put(job("late").limitKey("tenant-7"));
        put(NewJob.of(WORK, new WorkData(2)).id("other").limitKey("tenant-7"));

        clock.advance(UNTIL_LATE);

        assertThat(await(timed.processor().accept(WORK)).map(Job::id)).contains("other");
    }

    @Test
    void aClaimEndsLateJobsWithAndWithoutLimitKeysTogether() {
        await(timed.limits().set(database, WORK, 1));
        put(job("late-1"), job("late-2").limitKey("tenant-7"), job("late-3").limitKey("tenant-8"));
        put(NewJob.of(WORK, new WorkData(2)).id("other").limitKey("tenant-7"));

        clock.advance(UNTIL_LATE);

        assertThat(await(timed.processor().accept(WORK)).map(Job::id)).contains("other");
        assertThat(await(timed.limits().get(database, WORK, "tenant-7")).taken())
                .isEqualTo(1);
        assertThat(await(timed.limits().get(database, WORK, "tenant-8")).taken())
                .isZero();
    }

    @Test
    void waitersLearnThatAJobHasExpired() {
        put(job("late"));
        CompletableFuture<Void> result = timed.resultAsync(WORK, "late", LONG);

        clock.advance(UNTIL_LATE);
        assertThat(claim()).isEmpty();

        assertThat(failureOf(result))
                .isInstanceOf(JobExpiredException.class)
                .hasMessageContaining("Job late of type index has expired")
                .hasMessageContaining("2026-11-21T12:01:00.500Z");
    }

    @Test
    void dependentsAreToldAsOfAFailure() {
        put(job("late"));
        put(
                NewJob.of(WORK, new WorkData(2)).id("fails").after(failing()),
                NewJob.of(WORK, new WorkData(3))
                        .id("runs")
                        .after(Dependency.on(WORK, "late").ifUnsuccessful(DependencyPolicy.IGNORE)));

        clock.advance(UNTIL_LATE);

        assertThat(await(timed.processor().accept(WORK)).map(Job::id)).contains("runs");
        assertThat(info("fails").error())
                .hasValueSatisfying(error -> assertThat(error).contains("had not begun by its deadline"));
    }

    private static Dependency failing() {
        return Dependency.on(WORK, "late").ifUnsuccessful(DependencyPolicy.FAIL);
    }

    @Test
    void aDeadLetterThatNeverBeganRunsWhenItIsRetried() {
        put(NewJob.of(WORK, new WorkData(1)).id("first").retry(RetryPolicy.never()));
        put(job("j1").after(Dependency.on(WORK, "first").ifUnsuccessful(DependencyPolicy.FAIL)));
        await(timed.processor().fail(database, claim().orElseThrow(), new IllegalStateException("no paper")));
        assertThat(failureOf(timed.resultAsync(WORK, "j1", LONG))).isInstanceOf(JobFailedException.class);
        clock.advance(UNTIL_LATE);

        assertThat(await(timed.deadLetters().retry(database, WORK, "j1"))).isTrue();

        assertThat(claim().map(Job::id)).contains("j1");
    }

    @Test
    void aJobThatIsAddedAgainHasItsNewDeadline() {
        put(job("j1"));
        put(NewJob.of(WORK, new WorkData(1)).id("j1").startBefore(DEADLINE.plus(UNTIL_LATE)));

        clock.advance(UNTIL_LATE);

        assertThat(claim().map(Job::id)).contains("j1");
    }

    @Test
    void theRowOfAnEarlierDeadlineEndsNoJob() {
        put(job("j1"));
        Tuple earlier = rows.under("retire", INDEX.name()).get(0);
        put(NewJob.of(WORK, new WorkData(1)).id("j1").startBefore(DEADLINE.plus(Duration.ofHours(1))));
        CompletableFuture<Void> read = rows.nextChange(
                Tuple.from("retire", INDEX.name()).addAll(earlier).getItems().toArray());

        clock.advance(UNTIL_LATE.plusSeconds(1));
        node(clock).maintenance().monitor(WORK);
        await(read);

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void anExpiredJobRunsIfItIsAddedAgain() {
        put(job("j1"));
        clock.advance(UNTIL_LATE);
        assertThat(claim()).isEmpty();

        put(NewJob.of(WORK, new WorkData(1)).id("j1"));

        assertThat(claim().map(Job::id)).contains("j1");
    }

    @Test
    void anExpiredJobIsRemovedByTheRetentionOfJobsThatHaveNotFailed() {
        JobType<WorkData, Void> keptAnHour =
                WORK.retention(Retention.of(Duration.ofHours(1)).failedForever());
        put(NewJob.of(keptAnHour, new WorkData(1)).id("late").startBefore(DEADLINE));
        clock.advance(UNTIL_LATE);
        assertThat(await(timed.processor().accept(keptAnHour, AcceptOptions.nonBlocking())))
                .isEmpty();

        sweptAfter(Duration.ofHours(2), "late");

        assertThat(stateOf("late")).isEqualTo(JobState.NOT_FOUND);
        assertThat(await(jobs.counts(database, WORK)).total()).isZero();
    }

    @Test
    void aWorkerDoesNotBeginAJobThatWaitedForASlotUntilItWasLate() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        put(NewJob.of(WORK, new WorkData(1)).id("short"));
        try (Worker worker = timed.worker()
                .concurrency(1)
                .process(WORK, job -> {
                    if (job.id().equals("j1")) {
                        begun.countDown();
                        mayEnd.await();
                    }
                })
                .start()) {
            timed.result(WORK, "short", LONG); // workers claim ahead once they know how long jobs take
            put(NewJob.of(WORK, new WorkData(1)).id("j1").priority(2), job("j2").priority(1));
            CompletableFuture<Void> expired = timed.resultAsync(WORK, "j2", LONG);
            assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            clock.advance(UNTIL_LATE);
            mayEnd.countDown();

            assertThat(failureOf(expired)).isInstanceOf(JobExpiredException.class);
            assertThat(worker.stuckSlots()).isZero();
        }
        assertThat(info("j2").lastAttempt()).isEmpty();
    }

    @Test
    void aDeadlineJoinsTheTransactionOfTheCaller() {
        try (Transaction tx = database.createTransaction()) {
            await(timed.add(tx, job("j1")));
        }

        assertThat(rows.under("retire")).isEmpty();
        assertThat(rows.value("layout")).containsExactly(1L, 1L, 1L);
    }

    @Test
    void theFirstDeadlineKeepsOlderVersionsOut() {
        put(job("j1"));

        assertThat(rows.value("layout")).containsExactly(12L, 8L, 12L, "", "", "", 1L << 8);
    }

    @Test
    void jobsOfOneCommitShareTheRowOfTheirDeadline() {
        put(IntStream.range(0, 50).mapToObj(i -> job("j" + i)).toArray(NewJob<?>[]::new));

        assertThat(rows.under("retire")).hasSize(1);
    }

    @Test
    void aDeadlineOutOfItsLimitsIsRefused() {
        NewJob<WorkData> job = NewJob.of(WORK, new WorkData(1));
        for (Instant deadline : List.of(Instant.EPOCH, Instant.MIN, Instant.MAX)) {
            assertThatThrownBy(() -> job.startBefore(deadline))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("from 1970 to 9999");
        }
        assertThatThrownBy(() -> Schedule.every("s", Duration.ofMinutes(1), job.startBefore(DEADLINE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leave out startBefore");
    }

    @Test
    void aDamagedRowOfTheIndexHarmsNoOtherJob() {
        put(job("late"));
        rows.put(Tuple.from("no list of ids", 1.5), "retire", INDEX.name(), false, 1, "no stamp");

        sweptAfter(UNTIL_LATE.plusSeconds(1), "late");

        assertThat(outcome("late")).contains(Outcome.EXPIRED);
    }
}
