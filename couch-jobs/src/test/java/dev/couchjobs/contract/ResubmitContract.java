package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Feature A7: {@code resubmit} with and without time, {@code is_resubmitted}. */
class ResubmitContract extends JobsContract {
    private static final Instant LATER = NOON.plusSeconds(6);
    private static final Instant EVEN_LATER = NOON.plusSeconds(9);

    @Test
    void aResubmittedJobIsPendingAgainWhenItIsFinished() {
        Job<WorkData> job = accepted("j1", 1);

        await(jobs.processor().resubmit(database, job, LATER));
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        await(jobs.processor().finish(database, job));

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("j1")).contains(LATER);
        await(jobs.processor().finish(database, accept()));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aResubmittedJobTakesTheNewTime() {
        addAt("j1", 1, LATER);
        Job<WorkData> job = accept();

        await(jobs.processor().resubmit(database, job, EVEN_LATER));
        await(jobs.processor().finish(database, job));

        assertThat(scheduledTimeOf("j1")).contains(EVEN_LATER);
    }

    @Test
    void withoutATimeTheScheduledTimeStays() {
        addAt("scheduled", 1, LATER);
        Job<WorkData> scheduled = accept();
        await(jobs.processor().resubmit(database, scheduled));
        await(jobs.processor().finish(database, scheduled));
        assertThat(scheduledTimeOf("scheduled")).contains(LATER);
        await(jobs.remove(database, INDEX, "scheduled"));

        Job<WorkData> unscheduled = accepted("unscheduled", 1);
        await(jobs.processor().resubmit(database, unscheduled));
        await(jobs.processor().finish(database, unscheduled));
        assertThat(scheduledTimeOf("unscheduled")).isEmpty();
    }

    @Test
    void isResubmittedTellsWhetherSomebodyAskedForAnotherRun() {
        Job<WorkData> job = accepted("j1", 1);
        assertThat(jobs.processor().isResubmitted(job)).isFalse();
        assertThat(jobs.processor().isResubmitted(await(jobs.processor().update(database, job))))
                .isFalse();

        Job<WorkData> resubmitted = await(jobs.processor().resubmit(database, job, LATER));

        assertThat(jobs.processor().isResubmitted(resubmitted)).isTrue();
        assertThat(resubmitted.scheduledTime()).contains(LATER);
        assertThat(resubmitted.data()).isEqualTo(new WorkData(1));
        assertThat(jobs.processor().isResubmitted(await(jobs.processor().update(database, job))))
                .isTrue();
        await(jobs.processor().finish(database, job));
        assertThat(jobs.processor().isResubmitted(accept())).isFalse();
    }

    @Test
    void resubmittingTwiceRunsItOnceMore() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().resubmit(database, job, LATER));
        await(jobs.processor().resubmit(database, job, EVEN_LATER));
        await(jobs.processor().finish(database, job));

        assertThat(scheduledTimeOf("j1")).contains(EVEN_LATER);
        await(jobs.processor().finish(database, accept()));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aRunningJobKeepsItsDataWhenItIsResubmitted() {
        Job<WorkData> job = accepted("j1", 1);

        await(jobs.processor().resubmit(database, job, LATER, new WorkData(2)));
        await(jobs.processor().finish(database, job));

        assertThat(accept().data()).isEqualTo(new WorkData(1));
    }

    @Test
    void aFinishedJobTakesTheDataWhenItIsResubmitted() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().finish(database, job));

        Job<WorkData> resubmitted = await(jobs.processor().resubmit(database, job, LATER, new WorkData(2)));

        assertThat(resubmitted.data()).isEqualTo(new WorkData(2));
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("j1")).contains(LATER);
        assertThat(accept().data()).isEqualTo(new WorkData(2));
    }

    @Test
    void aFinishedJobCanBeResubmittedWithoutDataAndWithoutTime() {
        addAt("j1", 1, LATER);
        Job<WorkData> job = accept();
        await(jobs.processor().finish(database, job, new WorkData(5)));

        await(jobs.processor().resubmit(database, job));

        assertThat(scheduledTimeOf("j1")).contains(LATER);
        assertThat(accept().data()).isEqualTo(new WorkData(5));
    }

    @Test
    void aPendingJobCanBeMovedByTheClaimThatFinishedIt() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().resubmit(database, job, LATER));
        await(jobs.processor().finish(database, job));

        await(jobs.processor().resubmit(database, job, EVEN_LATER));

        assertThat(scheduledTimeOf("j1")).contains(EVEN_LATER);
        Job<WorkData> again = accept();
        assertThat(again.data()).isEqualTo(new WorkData(1));
        await(jobs.processor().finish(database, again));
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void anOldHolderCannotResubmitWhatAnotherRuns() {
        Job<WorkData> mine = accepted("j1", 1);
        await(jobs.processor().finish(database, mine));
        Job<WorkData> theirs = accepted("j1", 2);

        assertThat(failureOf(jobs.processor().resubmit(database, mine))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().resubmit(database, mine, LATER))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().resubmit(database, mine, LATER, new WorkData(9))))
                .isInstanceOf(JobHaltedException.class);

        await(jobs.processor().finish(database, theirs));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void anOldHolderCannotResubmitWhatAnotherFinished() {
        Job<WorkData> mine = accepted("j1", 1);
        await(jobs.processor().finish(database, mine));
        await(jobs.processor().finish(database, accepted("j1", 2)));

        assertThat(failureOf(jobs.processor().resubmit(database, mine))).isInstanceOf(JobHaltedException.class);
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aRemovedJobCannotBeResubmitted() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.remove(database, INDEX, "j1"));

        assertThat(failureOf(jobs.processor().resubmit(database, job))).isInstanceOf(JobHaltedException.class);
        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void rescheduleIsOneTransaction() {
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            await(jobs.processor().resubmit(tx, job, LATER));
            await(jobs.processor().finish(tx, job, new WorkData(2)));
        });

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("j1")).contains(LATER);
        assertThat(accept().data()).isEqualTo(new WorkData(2));
    }
}
