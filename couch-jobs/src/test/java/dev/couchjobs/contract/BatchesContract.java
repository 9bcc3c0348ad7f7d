package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PayloadException;
import dev.couchjobs.TooManyJobsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Feature F5: many jobs added in one commit. */
class BatchesContract extends JobsContract {
    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    private static NewJob<WorkData> job(String id, int step) {
        return NewJob.of(INDEX, new WorkData(step)).id(id);
    }

    private static List<NewJob<WorkData>> jobs(int count) {
        return IntStream.range(0, count).mapToObj(i -> job("j" + i, i)).toList();
    }

    @Test
    void noJobsAreAddedInNoTime() {
        assertThat(await(jobs.addAll(database, List.of()))).isEmpty();
    }

    @Test
    void manyJobsAreAddedTogetherAndTheirIdsGivenInTheirOrder() {
        List<NewJob<WorkData>> all = List.of(
                job("b", 1), NewJob.of(INDEX, new WorkData(2)), job("a", 3).at(NOON));

        List<String> ids =
                await(jobs.addAll(database, all)).stream().map(AddResult::jobId).toList();

        assertThat(ids).hasSize(3).startsWith("b").endsWith("a");
        assertThat(stepOf("b")).isEqualTo(1);
        assertThat(stepOf(ids.get(1))).isEqualTo(2);
        assertThat(stepOf("a")).isEqualTo(3);
        assertThat(scheduledTimeOf("a")).contains(NOON);
    }

    @Test
    void jobsOfSeveralTypesAreAddedInOneCommit() {
        await(jobs.addAll(
                database, List.of(job("j1", 1), NewJob.of(MAIL, new WorkData(2)).id("m1"), job("j2", 3))));

        assertThat(accept().id()).isEqualTo("j1");
        assertThat(accept().id()).isEqualTo("j2");
        assertThat(await(jobs.getJobData(database, MAIL, "m1"))).contains(new WorkData(2));
    }

    @Test
    void jobsAddedTogetherShareTheirEntryInTheFeed() {
        await(jobs.addAll(database, jobs(50)));

        assertThat(rows.under("data", "index")).hasSize(50);
        assertThat(rows.under("pending", "index")).hasSize(50);
        assertThat(rows.under("feed", "index")).hasSize(1);
    }

    @Test
    void aBatchFallsUnderTheFourCasesJobByJob() {
        add("pending", 1);
        accepted("a running", 1);
        await(jobs.processor().finish(database, accepted("a finished", 1)));

        await(jobs.addAll(
                database, List.of(job("new", 2), job("pending", 2), job("a running", 2), job("a finished", 2))));

        assertThat(List.of(stepOf("new"), stepOf("pending"), stepOf("a running"), stepOf("a finished")))
                .containsExactly(2, 2, 1, 2);
        assertThat(List.of(stateOf("new"), stateOf("pending"), stateOf("a running"), stateOf("a finished")))
                .containsExactly(JobState.PENDING, JobState.PENDING, JobState.RUNNING, JobState.PENDING);
    }

    @Test
    void aRunningJobInABatchRunsOnceMoreWhenItIsFinished() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.addAll(database, List.of(job("j1", 2), job("j2", 2))));

        await(jobs.processor().finish(database, job));

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void aBatchThatChangesNothingLeavesTheTransactionReadOnly() {
        await(jobs.addAll(database, jobs(3)));

        try (Transaction tx = database.createTransaction()) {
            await(jobs.addAll(tx, jobs(3)));
            await(tx.commit());
            assertThat(tx.getCommittedVersion()).isEqualTo(-1);
        }
    }

    @Test
    void aJobNamedTwiceIsAddedTwiceOneTimeAfterTheOther() {
        await(jobs.addAll(database, List.of(job("j1", 1), job("j1", 2).at(NOON))));

        assertThat(stepOf("j1")).isEqualTo(2);
        assertThat(scheduledTimeOf("j1")).contains(NOON);
        assertThat(rows.under("pending", "index")).hasSize(1);
    }

    @Test
    void aBatchJoinsTheCallersTransactionBesideOtherVerbs() {
        Job<WorkData> held = accepted("held", 1);
        Job<WorkData> other = accepted("other", 1);

        commit(tx -> {
            var updated = jobs.processor().update(tx, held);
            var also = jobs.processor().update(tx, other);
            var added = jobs.addAll(tx, List.of(job("held", 2), job("j1", 2), job("other", 2)));
            var again = jobs.add(tx, job("j1", 3));
            await(updated);
            await(also);
            await(added);
            await(again);
            tx.set(key("effect"), new byte[0]);
        });

        assertThat(stepOf("j1")).isEqualTo(3);
        await(jobs.processor().finish(database, held));
        assertThat(stateOf("held")).isEqualTo(JobState.PENDING);
        assertThat(rows.under("activity", "index")).hasSize(1);
        await(jobs.processor().finish(database, other));
        assertThat(rows.under("activity", "index")).isEmpty();
        assertThat(isWritten("effect")).isTrue();
    }

    @Test
    void twoBatchesInOneTransactionThatMeetInTheMiddleDoNotWaitForEachOther() {
        commit(tx -> {
            var one = jobs.addAll(tx, List.of(job("a", 1), job("b", 1)));
            var other = jobs.addAll(tx, List.of(job("b", 2), job("a", 2)));
            await(other);
            await(one);
        });

        assertThat(stepOf("a")).isEqualTo(2);
        assertThat(stepOf("b")).isEqualTo(2);
    }

    @Test
    void aBatchStoresTheTimeoutOfEachNewType() {
        JobType<WorkData, ?> slow = JobType.of("slow", WorkData.class).activityTimeout(Duration.ofSeconds(90));
        JobType<WorkData, ?> fast = JobType.of("fast", WorkData.class).activityTimeout(Duration.ofSeconds(2));
        Duration known = await(jobs.types().getTypeTimeout(database, INDEX)).orElseThrow();

        await(jobs.addAll(
                database, List.of(job("j1", 1), NewJob.of(slow, new WorkData(1)), NewJob.of(fast, new WorkData(1)))));

        assertThat(await(jobs.types().getTypeTimeout(database, slow))).contains(Duration.ofSeconds(90));
        assertThat(await(jobs.types().getTypeTimeout(database, fast))).contains(Duration.ofSeconds(2));
        assertThat(await(jobs.types().getTypeTimeout(database, INDEX))).contains(known);
    }

    @Test
    void oneJobWhoseDataCannotBeStoredSpoilsTheWholeBatch() {
        NewJob<String> tooLarge = NewJob.of(Texts.TYPE, Texts.ofLength(8_100_000));

        assertThatThrownBy(() -> jobs.addAll(database, List.of(job("j1", 1), tooLarge)))
                .isInstanceOf(PayloadException.class);
        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aBatchLargerThanATransactionIsRefusedAndToldHowManyFit() {
        await(jobs.types().setTypeTimeout(database, Texts.TYPE, Duration.ofMinutes(10)));
        List<NewJob<String>> tooMany = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            tooMany.add(NewJob.of(Texts.TYPE, Texts.ofLength(90_000)).id("j" + i));
        }

        TooManyJobsException refused = (TooManyJobsException) catchThrowable(() -> jobs.addAll(database, tooMany));

        assertThat(refused).hasMessageContaining("120").hasMessageContaining("batches");
        assertThat(refused.jobsMax()).isBetween(80, 119);
        await(jobs.addAll(database, tooMany.subList(0, refused.jobsMax() - 10)));
    }

    @Test
    void aBatchOfSmallJobsThatDoesNotFitIsRefusedBeforeItsCommit() {
        List<NewJob<WorkData>> tooMany = jobs(15_000);

        Throwable error = failureOf(jobs.addAll(database, tooMany));

        assertThat(error).isInstanceOf(TooManyJobsException.class);
        assertThat(((TooManyJobsException) error).jobsMax()).isBetween(5_000, 14_999);
        assertThat(rows.under("data", "index")).isEmpty();
    }

    @Test
    void aBatchOfFarTooManySmallJobsIsRefusedBeforeItIsTriedAndToldHowManyFit() {
        List<NewJob<WorkData>> tooMany = jobs(60_000);

        TooManyJobsException refused = (TooManyJobsException) catchThrowable(() -> jobs.addAll(database, tooMany));

        assertThat(await(jobs.addAll(database, tooMany.subList(0, refused.jobsMax() * 9 / 10))))
                .hasSizeBetween(5_000, 30_000);
    }
}
