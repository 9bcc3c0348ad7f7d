package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Feature A6: {@code update} and {@code finish} with and without data, and {@code halt}; what A2 means to a processor.
 */
public abstract class ProcessingContract extends JobsContract {

    @Test
    void anUpdateWithDataReplacesIt() {
        Job<Work> job = accepted("j1", 0);

        Job<Work> updated = await(jobs.update(database, job, new Work(1)));

        assertThat(updated.data()).isEqualTo(new Work(1));
        assertThat(stepOf("j1")).isEqualTo(1);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void anUpdateWithoutDataKeepsIt() {
        Job<Work> job = accepted("j1", 0);
        await(jobs.update(database, job, new Work(1)));

        Job<Work> updated = await(jobs.update(database, job));

        assertThat(updated.data()).isEqualTo(new Work(1));
        assertThat(stepOf("j1")).isEqualTo(1);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void updatesInTransactionsOfTheCallersWorkAsWell() {
        Job<Work> job = accepted("j1", 0);

        commit(tx -> await(jobs.update(tx, job, new Work(1))));
        assertThat(stepOf("j1")).isEqualTo(1);
        commit(tx -> await(jobs.update(tx, job)));
        assertThat(stepOf("j1")).isEqualTo(1);
        commit(tx -> await(jobs.update(tx, job, new Work(2))));
        assertThat(stepOf("j1")).isEqualTo(2);
        commit(tx -> await(jobs.finish(tx, job, new Work(3))));

        assertThat(stepOf("j1")).isEqualTo(3);
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void theJobThatAcceptReturnedServesUntilTheEnd() {
        Job<Work> job = accepted("j1", 0);
        Job<Work> updated = await(jobs.update(database, job, new Work(1)));
        assertThat(updated).isEqualTo(job);

        await(jobs.update(database, updated, new Work(2)));
        await(jobs.update(database, job));
        await(jobs.finish(database, job));

        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void finishWithoutDataKeepsIt() {
        await(jobs.finish(database, accepted("j1", 7)));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(7);
    }

    @Test
    void finishWithDataReplacesIt() {
        await(jobs.finish(database, accepted("j1", 7), new Work(8)));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(8);
    }

    @Test
    void aFinishedJobIsNotHandedOutAgain() {
        await(jobs.finish(database, accepted("j1", 1)));

        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void whoeverHoldsTheJobMayFinishItOnAnotherNode() {
        Job<Work> job = accepted("j1", 1);

        await(node().finish(database, job, new Work(2)));

        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void theProcessorOfARemovedJobIsHalted() {
        Job<Work> job = accepted("j1", 1);
        assertThat(await(jobs.remove(database, INDEX, "j1"))).isTrue();
        assertThat(await(jobs.remove(database, INDEX, "j1"))).isFalse();

        assertThat(failureOf(jobs.update(database, job)))
                .isInstanceOfSatisfying(JobHaltedException.class, halt -> {
                    assertThat(halt.typeName()).isEqualTo("index");
                    assertThat(halt.jobId()).isEqualTo("j1");
                })
                .hasMessageContaining("removed");
        assertThat(failureOf(jobs.update(database, job, new Work(2)))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.finish(database, job))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.finish(database, job, new Work(2)))).isInstanceOf(JobHaltedException.class);
        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aProcessorWhoseLockWasReplacedIsHalted() {
        Job<Work> mine = accepted("j1", 1);
        await(jobs.remove(database, INDEX, "j1"));
        Job<Work> theirs = accepted("j1", 2);

        assertThat(failureOf(jobs.update(database, mine))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.finish(database, mine, new Work(9)))).isInstanceOf(JobHaltedException.class);

        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        assertThat(stepOf("j1")).isEqualTo(2);
        await(jobs.finish(database, theirs));
    }

    @Test
    void finishingTwiceSaysThatItIsDone() {
        Job<Work> job = accepted("j1", 1);
        await(jobs.finish(database, job, new Work(2)));

        assertThat(failureOf(jobs.finish(database, job, new Work(3)))).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(failureOf(jobs.update(database, job))).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void aJobThatCouchJobsDidNotHandOutIsRefused() {
        Job<Work> madeUp = new MadeUpJob();

        assertThatThrownBy(() -> jobs.update(database, madeUp)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.finish(database, madeUp)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.resubmit(database, madeUp)).isInstanceOf(IllegalArgumentException.class);
    }

    private record MadeUpJob() implements Job<Work> {
        @Override
        public JobType<Work, ?> type() {
            return INDEX;
        }

        @Override
        public String id() {
            return "j1";
        }

        @Override
        public UUID lock() {
            return new UUID(0, 0);
        }

        @Override
        public Optional<Instant> scheduledTime() {
            return Optional.empty();
        }

        @Override
        public Work data() {
            return new Work(1);
        }

        @Override
        public boolean isResubmitted() {
            return false;
        }
    }
}
