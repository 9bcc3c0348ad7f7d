package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.DependencyCycleException;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Processor;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Unique;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A job that is a duplicate of another is not added. */
class UniqueContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK =
            JobType.of(INDEX.name(), WorkData.class).retry(RetryPolicy.never());
    private static final JobType<String, ?> TEXT = JobType.of("text", String.class);
    private static final Unique USER = Unique.by("user-7");

    private SettableClock clock;
    private CouchJobs timed;
    private StoredRows rows;

    @BeforeEach
    void openNode() {
        clock = new SettableClock(NOON);
        timed = node(clock);
        rows = new StoredRows(database, prefix);
    }

    private static NewJob<WorkData> job(String id, int step, Unique rule) {
        return NewJob.of(INDEX, new WorkData(step)).id(id).unique(rule);
    }

    private AddResult put(NewJob<?> job) {
        return await(timed.add(database, job));
    }

    private static AddResult unchanged(String id) {
        return new AddResult(id, AddResult.Change.UNCHANGED, AddResult.GivenData.DISCARDED);
    }

    private static AddResult added(String id) {
        return new AddResult(id, AddResult.Change.ADDED, AddResult.GivenData.STORED);
    }

    private Job<WorkData> failed(String id) {
        Job<WorkData> job = await(timed.processor().accept(WORK)).orElseThrow();
        assertThat(job.id()).isEqualTo(id);
        await(timed.processor().fail(database, job, new IllegalStateException("no paper")));
        return job;
    }

    // By key

    @Test
    void aDuplicateOfAPendingJobIsNotAdded() {
        assertThat(put(job("j1", 1, USER))).isEqualTo(added("j1"));

        assertThat(put(job("j2", 2, USER))).isEqualTo(unchanged("j1"));

        assertThat(stateOf("j2")).isEqualTo(JobState.NOT_FOUND);
        assertThat(stepOf("j1")).isEqualTo(1);
    }

    @Test
    void aJobTellsItsUniqueKey() {
        put(job("j1", 1, USER));
        put(job("j2", 1, Unique.byData()));

        assertThat(await(jobs.getJob(database, INDEX, "j1")).orElseThrow().uniqueKey())
                .contains("user-7");
        var byData = await(jobs.getJob(database, INDEX, "j2")).orElseThrow();
        assertThat(byData.uniqueKey()).isEmpty();
        assertThat(byData.isUniqueByData()).isTrue();
    }

    @Test
    void aDuplicateOfARunningJobIsNotAdded() {
        put(job("j1", 1, USER));
        Job<WorkData> running = accept();

        assertThat(put(job("j2", 2, USER))).isEqualTo(unchanged("j1"));

        await(jobs.processor().finish(database, running));
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void aDuplicateOfAJobThatBacksOffIsNotAdded() {
        put(job("j1", 1, USER));
        await(jobs.processor().snooze(database, accept(), Duration.ofHours(1)));

        assertThat(put(job("j2", 2, USER))).isEqualTo(unchanged("j1"));
    }

    @Test
    void aJobThatHasEndedIsNoObstacle() {
        put(job("j1", 1, USER));
        await(jobs.processor().finish(database, accept()));

        assertThat(put(job("j2", 2, USER))).isEqualTo(added("j2"));
        assertThat(put(job("j3", 3, USER))).isEqualTo(unchanged("j2"));
    }

    @Test
    void aJobThatIsCancelledOrRemovedIsNoObstacle() {
        put(job("j1", 1, USER));
        await(jobs.control().cancel(database, INDEX, "j1", "not needed"));
        assertThat(put(job("j2", 2, USER))).isEqualTo(added("j2"));
        await(jobs.remove(database, INDEX, "j2"));

        assertThat(put(job("j3", 3, USER))).isEqualTo(added("j3"));
    }

    @Test
    void otherKeysAndTypesAreNoDuplicates() {
        put(job("j1", 1, USER));

        assertThat(put(job("j2", 2, Unique.by("user-8")))).isEqualTo(added("j2"));
        assertThat(put(NewJob.of(MAIL, new WorkData(1)).id("m1").unique(USER))).isEqualTo(added("m1"));
        assertThat(put(NewJob.of(INDEX, new WorkData(1)).id("j3"))).isEqualTo(added("j3"));
    }

    @Test
    void aJobWithoutAnIdGetsTheIdOfTheOther() {
        String first = await(
                        jobs.add(database, NewJob.of(INDEX, new WorkData(1)).unique(USER)))
                .jobId();

        assertThat(await(jobs.add(database, NewJob.of(INDEX, new WorkData(2)).unique(USER))))
                .isEqualTo(unchanged(first));
    }

    @Test
    void ofManyCallersAtATimeOneAddsAJob() {
        List<CompletableFuture<AddResult>> additions = IntStream.range(0, 20)
                .mapToObj(i -> node().add(database, job("j" + i, i, USER)))
                .toList();

        assertThat(additions.stream()
                        .map(JobsContract::await)
                        .filter(result -> result.change() == AddResult.Change.ADDED))
                .hasSize(1);
        assertThat(all(database, INDEX)).hasSize(1);
    }

    @Test
    void duplicatesInOneTransactionAreNotAdded() {
        await(database.runAsync(tx -> {
            var first = jobs.add(tx, job("j1", 1, USER));
            var second = jobs.add(tx, job("j2", 2, USER));
            return first.thenCombine(second, (a, b) -> {
                assertThat(a).isEqualTo(added("j1"));
                assertThat(b).isEqualTo(unchanged("j1"));
                return a;
            });
        }));

        assertThat(all(database, INDEX)).hasSize(1);
    }

    @Test
    void duplicatesInOneBatchAreNotAdded() {
        List<AddResult> results = await(jobs.addAll(
                database,
                List.of(
                        job("j1", 1, USER),
                        job("j2", 2, USER),
                        NewJob.of(INDEX, new WorkData(3)).id("j3"),
                        job("j4", 4, Unique.by("user-8")))));

        assertThat(results).containsExactly(added("j1"), unchanged("j1"), added("j3"), added("j4"));
    }

    @Test
    void inABatchTheLastOfSeveralThatReplaceStays() {
        put(job("j0", 0, Unique.byData()));

        List<AddResult> results = await(jobs.addAll(
                database,
                List.of(
                        job("j1", 1, USER.replacing()),
                        job("j2", 2, USER.replacing()),
                        job("j3", 0, Unique.byData()),
                        job("j4", 4, USER.replacing()).at(NOON.plus(Duration.ofDays(1_000))),
                        NewJob.of(MAIL, new WorkData(5)).id("m1").unique(USER))));

        assertThat(results)
                .containsExactly(
                        added("j1"),
                        new AddResult("j1", AddResult.Change.REPLACED, AddResult.GivenData.STORED),
                        unchanged("j0"),
                        new AddResult("j1", AddResult.Change.REPLACED, AddResult.GivenData.STORED),
                        added("m1"));
        assertThat(stepOf("j1")).isEqualTo(4);
        assertThat(scheduledTimeOf("j1")).contains(NOON.plus(Duration.ofDays(1_000)));
        assertThat(all(database, INDEX)).hasSize(2);
    }

    @Test
    void twoUniqueJobsWithOneIdInABatchAreOneJob() {
        List<AddResult> results =
                await(jobs.addAll(database, List.of(job("j1", 1, USER), job("j1", 2, Unique.by("user-8")))));

        assertThat(results).extracting(AddResult::jobId).containsExactly("j1", "j1");
        assertThat(all(database, INDEX)).hasSize(1);
        assertThat(rows.under("unique", "index")).hasSize(1);
        assertThat(put(job("j3", 3, USER))).isEqualTo(added("j3"));
        assertThat(put(job("j4", 4, Unique.by("user-8")))).isEqualTo(unchanged("j1"));
    }

    @Test
    void aDuplicateWithDependenciesLeavesTheOtherUnblocked() {
        add("first", 1);
        put(job("j1", 1, USER));

        assertThat(put(job("j2", 2, USER).after(INDEX, "first"))).isEqualTo(unchanged("j1"));

        assertThat(await(jobs.getJob(database, INDEX, "j1")).orElseThrow().isBlocked())
                .isFalse();
    }

    // By data

    @Test
    void aJobWithTheSameDataIsADuplicate() {
        put(job("j1", 1, Unique.byData()));

        assertThat(put(job("j2", 1, Unique.byData()))).isEqualTo(unchanged("j1"));
        assertThat(put(job("j3", 2, Unique.byData()))).isEqualTo(added("j3"));
        assertThat(put(job("j4", 1, USER))).isEqualTo(added("j4"));
    }

    @Test
    void largeDataIsComparedByItsDigest() {
        JobType<String, Void> texts = JobType.of(INDEX.name(), String.class);
        String large = "x".repeat(200_000);
        put(NewJob.of(texts, large).id("j1").unique(Unique.byData()));

        assertThat(put(NewJob.of(texts, large).id("j2").unique(Unique.byData())))
                .isEqualTo(unchanged("j1"));
        assertThat(put(NewJob.of(texts, large + "y").id("j3").unique(Unique.byData())))
                .isEqualTo(added("j3"));
    }

    // Periods and states

    @Test
    void withinThePeriodAJobThatHasEndedCounts() {
        Unique throttled = USER.within(Duration.ofMinutes(5));
        put(job("j1", 1, throttled));
        await(timed.processor()
                .finish(database, await(timed.processor().accept(INDEX)).orElseThrow()));

        clock.advance(Duration.ofMinutes(4));
        assertThat(put(job("j2", 2, throttled))).isEqualTo(unchanged("j1"));
        clock.advance(Duration.ofMinutes(1));
        assertThat(put(job("j3", 3, throttled))).isEqualTo(added("j3"));
    }

    @Test
    void afterThePeriodAJobThatIsPendingStillCounts() {
        Unique throttled = USER.within(Duration.ofMinutes(5));
        put(job("j1", 1, throttled));
        clock.advance(Duration.ofHours(1));

        assertThat(put(job("j2", 2, throttled))).isEqualTo(unchanged("j1"));
    }

    @Test
    void whileItIsKeptAJobThatHasEndedCounts() {
        put(job("j1", 1, USER));
        await(jobs.processor().finish(database, accept()));

        assertThat(put(job("j2", 2, USER.whileKept()))).isEqualTo(unchanged("j1"));
        await(jobs.remove(database, INDEX, "j1"));
        assertThat(put(job("j3", 3, USER.whileKept()))).isEqualTo(added("j3"));
    }

    // Replacing

    @Test
    void aPendingJobGetsTheDataOfItsDuplicate() {
        put(job("j1", 1, USER));

        AddResult replaced = put(job("j2", 2, USER.replacing()));

        assertThat(replaced).isEqualTo(new AddResult("j1", AddResult.Change.REPLACED, AddResult.GivenData.STORED));
        assertThat(stepOf("j1")).isEqualTo(2);
        assertThat(put(job("j3", 3, USER))).isEqualTo(unchanged("j1"));
    }

    @Test
    void aJobIsPushedBack() {
        Instant soon = Instant.now().plusSeconds(3_600);
        put(job("j1", 1, USER).at(soon));

        put(job("j2", 2, USER.replacing()).at(soon.plusSeconds(60)));

        assertThat(scheduledTimeOf("j1").orElseThrow()).isAfterOrEqualTo(soon.plusSeconds(60));
        assertThat(all(database, INDEX)).hasSize(1);
    }

    @Test
    void aRunningJobRunsOnceMore() {
        put(job("j1", 1, USER));
        Job<WorkData> running = accept();

        assertThat(put(job("j2", 2, USER.replacing())).change()).isEqualTo(AddResult.Change.RESUBMITTED);

        await(jobs.processor().finish(database, running));
        assertThat(accept().id()).isEqualTo("j1");
    }

    /** How the run of a job may end, or be written, after duplicates have replaced its data. */
    private enum RunEnd {
        FINISH,
        FINISH_WITH_DATA,
        UPDATE_WITH_DATA,
        UPDATE_BETWEEN,
        FAIL,
        SNOOZE,
        RELEASE,
        EXPIRE
    }

    @ParameterizedTest
    @EnumSource(RunEnd.class)
    void theNextRunHasTheDataOfTheLastDuplicate(RunEnd end) {
        for (int bytes : end == RunEnd.EXPIRE ? List.of(1) : List.of(1, 5_000, 200_000)) {
            String filler = "x".repeat(bytes);
            await(jobs.remove(database, TEXT, "t1"));
            put(text("t1", "v1" + filler));
            Job<String> running = await(jobs.processor().accept(TEXT)).orElseThrow();
            AddResult second = put(text("t2", "v2" + filler));
            if (end == RunEnd.UPDATE_BETWEEN) {
                await(jobs.processor().update(database, running, "its own" + filler));
            }
            AddResult third = put(text("t3", "v3" + filler));

            assertThat(List.of(second, third))
                    .containsOnly(new AddResult("t1", AddResult.Change.RESUBMITTED, AddResult.GivenData.NEXT_RUN));
            assertThat(put(text("t4", "v3" + filler)))
                    .isEqualTo(new AddResult("t1", AddResult.Change.UNCHANGED, AddResult.GivenData.NEXT_RUN));
            end(end, running, "its own" + filler);
            Job<String> next = await(jobs.processor().accept(TEXT)).orElseThrow();
            assertThat(next.data()).startsWith("v3x");
            assertThat(next.data()).hasSize(2 + bytes);
            await(jobs.processor().finish(database, next, "its own, again" + filler));
            assertThat(await(jobs.getJobData(database, TEXT, "t1")).orElseThrow())
                    .startsWith("its own, again");
            assertThat(all(database, TEXT)).hasSize(1);
        }
    }

    private static NewJob<String> text(String id, String data) {
        return NewJob.of(TEXT, data).id(id).unique(USER.replacing());
    }

    private void end(RunEnd end, Job<String> running, String data) {
        Processor processor = jobs.processor();
        switch (end) {
            case FINISH -> await(processor.finish(database, running));
            case FINISH_WITH_DATA -> await(processor.finish(database, running, data));
            case UPDATE_WITH_DATA, UPDATE_BETWEEN -> {
                await(processor.update(database, running, data));
                await(processor.finish(database, running));
            }
            case FAIL -> await(processor.fail(database, running, new IllegalStateException("no paper")));
            case SNOOZE -> await(processor.snooze(database, running, Duration.ZERO));
            case RELEASE -> await(processor.release(database, running));
            case EXPIRE -> {
                await(jobs.types().setTypeTimeout(database, TEXT, Duration.ofSeconds(1)));
                jobs.maintenance().monitor(TEXT);
            }
        }
    }

    // A clock that goes back

    @ParameterizedTest
    @CsvSource({"PT5S,false", "PT59S,false", "PT2M,true", "PT4M,true", "PT23H,true", "P365D,true", "P36500D,true"})
    void aJobThatAClockAheadHasAddedIsNoObstacle(Duration ahead, boolean isAdded) {
        Unique rule = USER.within(Duration.ofMinutes(5));
        clock.advance(ahead);
        put(job("j1", 1, rule));
        await(timed.processor()
                .finish(database, await(timed.processor().accept(INDEX)).orElseThrow()));
        clock.advance(ahead.negated());

        assertThat(put(job("j2", 2, rule))).isEqualTo(isAdded ? added("j2") : unchanged("j1"));

        clock.advance(Duration.ofMinutes(4));
        assertThat(put(job("j3", 3, rule))).isEqualTo(unchanged(isAdded ? "j2" : "j1"));
        clock.advance(Duration.ofMinutes(3));
        assertThat(put(job("j4", 4, rule)).change())
                .isEqualTo(isAdded ? AddResult.Change.UNCHANGED : AddResult.Change.ADDED);
    }

    @Test
    void theLongestPeriodIsAHundredYears() {
        Unique rule = USER.within(Duration.ofDays(36_500));
        put(job("j1", 1, rule));
        await(timed.processor()
                .finish(database, await(timed.processor().accept(INDEX)).orElseThrow()));
        clock.advance(Duration.ofDays(36_499));

        assertThat(put(job("j2", 2, rule))).isEqualTo(unchanged("j1"));
    }

    @Test
    void aJobThatIsReplacedKeepsItsPeriod() {
        Unique rule = USER.within(Duration.ofMinutes(5)).replacing();
        put(job("j1", 1, rule));
        clock.advance(Duration.ofMinutes(4));
        put(job("j2", 2, rule));
        await(timed.processor()
                .finish(database, await(timed.processor().accept(INDEX)).orElseThrow()));
        clock.advance(Duration.ofMinutes(2));

        assertThat(put(job("j3", 3, rule))).isEqualTo(added("j3"));
    }

    @Test
    void aDuplicateDoesNotMakeTheOtherJobWaitForItself() {
        put(job("j1", 1, USER));
        NewJob<WorkData> duplicate = job("j2", 2, USER.replacing()).after(INDEX, "j1");

        assertThatThrownBy(() -> put(duplicate)).hasCauseInstanceOf(DependencyCycleException.class);

        assertThat(put(duplicate.unique(USER))).isEqualTo(unchanged("j1"));
        assertThat(await(jobs.getJob(database, INDEX, "j1")).orElseThrow().isBlocked())
                .isFalse();
    }

    // Dead letters

    @Test
    void aDeadLetterIsNotSentAgainWhileAnotherJobHasItsKey() {
        put(job("j1", 1, USER));
        failed("j1");
        put(job("j2", 2, USER));

        assertThat(await(jobs.deadLetters().retry(database, INDEX, "j1"))).isFalse();
        assertThat(await(jobs.deadLetters().retryAll(INDEX))).isZero();
        await(jobs.control().cancel(database, INDEX, "j2", "not needed"));

        assertThat(await(jobs.deadLetters().retry(database, INDEX, "j1"))).isTrue();
        assertThat(put(job("j3", 3, USER))).isEqualTo(unchanged("j1"));
    }

    @Test
    void ofSeveralDeadLettersWithOneKeyOneIsSentAgain() {
        for (String id : List.of("j1", "j2", "j3")) {
            put(job(id, 1, USER));
            failed(id);
        }

        assertThat(await(jobs.deadLetters().retryAll(INDEX))).isEqualTo(1);

        assertThat(await(jobs.counts(database, INDEX)).pending()).isEqualTo(1);
        assertThat(await(jobs.control().select(WORK, job -> true).retry()).applied())
                .isZero();
    }

    @Test
    void aJobThatHasEndedIsNotResubmittedWhileAnotherHasItsKey() {
        put(job("j1", 1, USER));
        Job<WorkData> ended = accept();
        await(jobs.processor().finish(database, ended));
        put(job("j2", 2, USER));

        assertThat(await(jobs.processor().resubmit(database, ended)).isResubmitted())
                .isFalse();

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        await(jobs.remove(database, INDEX, "j2"));
        assertThat(await(jobs.processor().resubmit(database, ended)).isResubmitted())
                .isTrue();
        assertThat(put(job("j3", 3, USER))).isEqualTo(unchanged("j1"));
    }

    // Rows

    @Test
    void theRowOfAKeyGoesWithItsJob() {
        put(job("j1", 1, USER));
        put(job("j2", 1, Unique.byData()));
        assertThat(rows.under("unique", "index")).hasSize(2);

        await(jobs.remove(database, INDEX, "j1"));
        await(jobs.remove(database, INDEX, "j2"));

        assertThat(rows.under("unique", "index")).isEmpty();
    }

    @Test
    void theRowStaysWithTheJobThatHasTheKeyNow() {
        put(job("j1", 1, USER));
        await(timed.processor()
                .finish(database, await(timed.processor().accept(INDEX)).orElseThrow()));
        clock.advance(Duration.ofSeconds(1));
        put(job("j2", 2, USER));

        await(jobs.remove(database, INDEX, "j1"));

        assertThat(put(job("j3", 3, USER))).isEqualTo(unchanged("j2"));
    }

    @Test
    void aJobThatVanishesWithItsEndTakesTheRowAlong() {
        JobType<WorkData, Void> fleeting = WORK.retention(Retention.of(Duration.ZERO));
        put(NewJob.of(fleeting, new WorkData(1)).id("j1").unique(USER));

        await(jobs.processor()
                .finish(database, await(jobs.processor().accept(fleeting)).orElseThrow()));

        assertThat(rows.under("unique", "index")).isEmpty();
    }

    @Test
    void aJobThatIsAddedAgainWithoutAKeyGivesItUp() {
        put(job("j1", 1, USER));

        put(NewJob.of(INDEX, new WorkData(1)).id("j1"));

        assertThat(put(job("j2", 2, USER))).isEqualTo(added("j2"));
    }

    @Test
    void aDamagedRowOfAKeyIsNoObstacle() {
        put(job("j1", 1, USER));
        commit(tx ->
                tx.set(prefix.pack(Tuple.from("couch_jobs", "unique", "index", false, "user-7")), new byte[] {1, 2}));

        assertThat(put(job("j2", 2, USER))).isEqualTo(added("j2"));
    }

    @Test
    void addingADuplicateWritesNothing() {
        put(job("j1", 1, USER));

        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, job("j2", 2, USER)));
            await(tx.commit());
            assertThat(tx.getCommittedVersion()).isEqualTo(-1);
        }
    }

    // Bad input

    @Test
    void keysAndPeriodsThatAreNoneAreRefused() {
        assertThatThrownBy(() -> Unique.by("")).hasMessageContaining("1 to 500 bytes");
        assertThatThrownBy(() -> Unique.by("x".repeat(20_000))).hasMessageContaining("20000");
        assertThatThrownBy(() -> USER.within(Duration.ZERO)).hasMessageContaining("more than zero");
        assertThatThrownBy(() -> Schedule.every(
                        "hourly",
                        Duration.ofHours(1),
                        NewJob.of(INDEX, new WorkData(1)).unique(USER)))
                .hasMessageContaining("leave out unique");
    }
}
