package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Features A1, A2 and A3: {@code add}, {@code remove}, {@code get_job_data} and {@code get_job_state}. */
class CreationContract extends JobsContract {
    private static final Instant AT_FIVE = NOON.plusSeconds(5 * 3_600);
    private static final Instant AT_SIX = NOON.plusSeconds(6 * 3_600);
    private static final Instant AT_SEVEN = NOON.plusSeconds(7 * 3_600);

    @Test
    void anAddedJobIsPendingAndHasItsData() {
        await(jobs.add(database, INDEX, "j1", new WorkData(42)));

        assertThat(await(jobs.getJobState(database, INDEX, "j1"))).isEqualTo(JobState.PENDING);
        assertThat(await(jobs.getJobData(database, INDEX, "j1"))).contains(new WorkData(42));
    }

    @Test
    void aRemovedJobIsGone() {
        add("j1", 1);

        assertThat(await(jobs.remove(database, INDEX, "j1"))).isTrue();

        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void jobsOfTwoTypesAreTwoJobsWhateverTheirIds() {
        await(jobs.add(database, INDEX, "j1", new WorkData(1)));
        await(jobs.add(database, MAIL, "j1", new WorkData(2)));

        assertThat(await(jobs.remove(database, INDEX, "j1"))).isTrue();

        assertThat(await(jobs.getJobData(database, MAIL, "j1"))).contains(new WorkData(2));
    }

    @Test
    void aJobThatIsNotThereHasNoStateAndNoData() {
        assertThat(await(jobs.getJobState(database, INDEX, "never"))).isEqualTo(JobState.NOT_FOUND);
        assertThat(await(jobs.getJobData(database, INDEX, "never"))).isEmpty();

        add("j1", 42);
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(stepOf("j1")).isEqualTo(42);
        await(jobs.remove(database, INDEX, "j1"));

        assertThat(await(jobs.getJobState(database, INDEX, "j1"))).isEqualTo(JobState.NOT_FOUND);
        assertThat(await(jobs.getJobData(database, INDEX, "j1"))).isEmpty();
    }

    @Test
    void removingAJobThatIsNotThereSaysSo() {
        assertThat(await(jobs.remove(database, INDEX, "never"))).isFalse();
        assertThat(await(jobs.remove(database, JobType.of("no such type", WorkData.class), "j1")))
                .isFalse();
    }

    @Test
    void theFirstJobOfATypeStoresTheTypesTimeout() {
        JobType<WorkData, ?> first = JobType.of("first", WorkData.class).activityTimeout(Duration.ofSeconds(7));

        await(jobs.add(database, first, "j1", new WorkData(1)));

        assertThat(await(jobs.types().getTypeTimeout(database, first))).contains(Duration.ofSeconds(7));
        assertThat(await(jobs.processor().accept(first)).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void addingAJobTwiceAddsItOnce() {
        add("j1", 1);
        add("j1", 1);

        assertThat(await(jobs.remove(database, INDEX, "j1"))).isTrue();
        assertThat(await(jobs.remove(database, INDEX, "j1"))).isFalse();
    }

    @Test
    void addingAPendingJobAsItIsLeavesTheTransactionReadOnly() {
        addAt("j1", 1, AT_FIVE);

        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, NewJob.of(INDEX, new WorkData(1)).id("j1").at(AT_FIVE)));
            await(tx.commit());
            assertThat(tx.getCommittedVersion()).isEqualTo(-1);
        }
    }

    @Test
    void manyWhoAddTheSamePendingJobDoNotConflict() {
        add("j1", 1);

        try (Transaction one = database.createTransaction();
                Transaction other = database.createTransaction()) {
            await(jobs.add(one, INDEX, "j1", new WorkData(1)));
            await(jobs.add(other, INDEX, "j1", new WorkData(1)));
            one.set(prefix.pack("one"), new byte[0]);
            other.set(prefix.pack("other"), new byte[0]);
            await(one.commit());
            await(other.commit());
        }
    }

    @Test
    void addingAPendingJobAtItsOldTimeTakesTheNewData() {
        addAt("j1", 1, AT_FIVE);

        addAt("j1", 2, AT_FIVE);

        assertThat(stepOf("j1")).isEqualTo(2);
        assertThat(accept().data()).isEqualTo(new WorkData(2));
    }

    @Test
    void addingAPendingJobAtAnotherTimeTakesTheTimeAndTheData() {
        add("j1", 1);

        addAt("j1", 2, AT_SIX);

        assertThat(scheduledTimeOf("j1")).contains(AT_SIX);
        Job<WorkData> job = accept();
        assertThat(job.data()).isEqualTo(new WorkData(2));
        assertThat(job.scheduledTime()).contains(AT_SIX);
    }

    @Test
    void aJobMovedToAnotherTimeIsAcceptedOnce() {
        addAt("j1", 1, AT_FIVE);
        addAt("j1", 1, AT_SIX);
        add("j1", 1);

        assertThat(accept().id()).isEqualTo("j1");
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void addingARunningJobKeepsItsDataAndRunsItOnceMore() {
        Job<WorkData> job = accepted("j1", 1);

        addAt("j1", 2, AT_SIX);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        await(jobs.processor().finish(database, job));

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        Job<WorkData> again = accept();
        assertThat(again.data()).isEqualTo(new WorkData(1));
        assertThat(again.scheduledTime()).contains(AT_SIX);
    }

    @Test
    void addingAFinishedJobTakesTheTimeAndTheData() {
        await(jobs.processor().finish(database, accepted("j1", 1)));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);

        addAt("j1", 2, AT_SIX);

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        Job<WorkData> again = accept();
        assertThat(again.data()).isEqualTo(new WorkData(2));
        assertThat(again.scheduledTime()).contains(AT_SIX);
    }

    @Test
    void aCreatorMayAddAgainInEveryState() {
        addAt("j1", 1, AT_FIVE);
        addAt("j1", 1, AT_SIX);
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("j1")).contains(AT_SIX);

        Job<WorkData> job = accept();
        addAt("j1", 1, AT_SEVEN);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        assertThat(scheduledTimeOf("j1")).contains(AT_SEVEN);
        assertThat(jobs.processor().isResubmitted(await(jobs.processor().update(database, job))))
                .isTrue();

        await(jobs.processor().finish(database, job));
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("j1")).contains(AT_SEVEN);

        await(jobs.processor().finish(database, accept()));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(scheduledTimeOf("j1")).contains(AT_SEVEN);

        addAt("j1", 1, AT_FIVE);
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("j1")).contains(AT_FIVE);
    }

    @Test
    void aScheduledTimeIsTheFirstWholeSecondThatIsNotEarlier() {
        addAt("whole", 1, AT_FIVE);
        addAt("fraction", 1, AT_FIVE.plusNanos(1));

        assertThat(scheduledTimeOf("whole")).contains(AT_FIVE);
        assertThat(scheduledTimeOf("fraction")).contains(AT_FIVE.plusSeconds(1));
    }

    @Test
    void aScheduledTimeBefore1970IsRefused() {
        assertThatThrownBy(() -> jobs.add(
                        database, NewJob.of(INDEX, new WorkData(1)).id("j1").at(Instant.EPOCH.minusSeconds(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1970");
    }

    @ParameterizedTest
    @ValueSource(strings = {"j1", " ", "a/b\\c", "...", "日本語", "\uD83D\uDE00", "\uDBFF\uDFFF"})
    void anIdMayBeAnyText(String jobId) {
        Job<WorkData> job = accepted(jobId, 1);
        await(jobs.processor().finish(database, job));

        assertThat(stateOf(jobId)).isEqualTo(JobState.FINISHED);
    }

    @Test
    void anIdHasOneToAThousandBytes() {
        String longest = "é".repeat(500);
        add(longest, 1);
        assertThat(stateOf(longest)).isEqualTo(JobState.PENDING);

        assertThatThrownBy(() -> jobs.add(database, INDEX, longest + "x", new WorkData(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001");
        assertThatThrownBy(() -> jobs.add(database, INDEX, "", new WorkData(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
