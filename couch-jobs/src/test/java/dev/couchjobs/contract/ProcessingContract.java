package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * {@code update} and {@code finish} with and without data, and {@code halt}; what a processor reads.
 */
class ProcessingContract extends JobsContract {

    @Test
    void anUpdateWithDataReplacesIt() {
        Job<WorkData> job = accepted("j1", 0);

        Job<WorkData> updated = await(jobs.processor().update(database, job, new WorkData(1)));

        assertThat(updated.data()).isEqualTo(new WorkData(1));
        assertThat(stepOf("j1")).isEqualTo(1);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void anUpdateWithoutDataKeepsIt() {
        Job<WorkData> job = accepted("j1", 0);
        await(jobs.processor().update(database, job, new WorkData(1)));

        Job<WorkData> updated = await(jobs.processor().update(database, job));

        assertThat(updated.data()).isEqualTo(new WorkData(1));
        assertThat(stepOf("j1")).isEqualTo(1);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void updatesInTransactionsOfTheCallersWorkAsWell() {
        Job<WorkData> job = accepted("j1", 0);

        commit(tx -> await(jobs.processor().update(tx, job, new WorkData(1))));
        assertThat(stepOf("j1")).isEqualTo(1);
        commit(tx -> await(jobs.processor().update(tx, job)));
        assertThat(stepOf("j1")).isEqualTo(1);
        commit(tx -> await(jobs.processor().update(tx, job, new WorkData(2))));
        assertThat(stepOf("j1")).isEqualTo(2);
        commit(tx -> await(jobs.processor().finish(tx, job, new WorkData(3))));

        assertThat(stepOf("j1")).isEqualTo(3);
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void theJobThatAcceptReturnedServesUntilTheEnd() {
        Job<WorkData> job = accepted("j1", 0);
        Job<WorkData> updated = await(jobs.processor().update(database, job, new WorkData(1)));
        assertThat(updated).isEqualTo(job);

        await(jobs.processor().update(database, updated, new WorkData(2)));
        await(jobs.processor().update(database, job));
        await(jobs.processor().finish(database, job));

        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void finishWithoutDataKeepsIt() {
        await(jobs.processor().finish(database, accepted("j1", 7)));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(7);
    }

    @Test
    void finishWithDataReplacesIt() {
        await(jobs.processor().finish(database, accepted("j1", 7), new WorkData(8)));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(8);
    }

    @Test
    void aFinishedJobIsNotHandedOutAgain() {
        await(jobs.processor().finish(database, accepted("j1", 1)));

        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void whoeverHoldsTheJobMayFinishItOnAnotherNode() {
        Job<WorkData> job = accepted("j1", 1);

        await(node().processor().finish(database, job, new WorkData(2)));

        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void theProcessorOfARemovedJobIsHalted() {
        Job<WorkData> job = accepted("j1", 1);
        assertThat(await(jobs.remove(database, INDEX, "j1"))).isTrue();
        assertThat(await(jobs.remove(database, INDEX, "j1"))).isFalse();

        assertThat(failureOf(jobs.processor().update(database, job)))
                .isInstanceOfSatisfying(JobHaltedException.class, halt -> {
                    assertThat(halt.typeName()).isEqualTo("index");
                    assertThat(halt.jobId()).isEqualTo("j1");
                })
                .hasMessageContaining("removed");
        assertThat(failureOf(jobs.processor().update(database, job, new WorkData(2))))
                .isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().finish(database, job))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().finish(database, job, new WorkData(2))))
                .isInstanceOf(JobHaltedException.class);
        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aProcessorWhoseLockWasReplacedIsHalted() {
        Job<WorkData> mine = accepted("j1", 1);
        await(jobs.remove(database, INDEX, "j1"));
        Job<WorkData> theirs = accepted("j1", 2);

        assertThat(failureOf(jobs.processor().update(database, mine))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().finish(database, mine, new WorkData(9))))
                .isInstanceOf(JobHaltedException.class);

        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        assertThat(stepOf("j1")).isEqualTo(2);
        await(jobs.processor().finish(database, theirs));
    }

    @Test
    void finishingTwiceSaysThatItIsDone() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().finish(database, job, new WorkData(2)));

        assertThat(failureOf(jobs.processor().finish(database, job, new WorkData(3))))
                .isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(failureOf(jobs.processor().update(database, job))).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void aJobThatCouchJobsDidNotHandOutIsRefused() {
        Job<WorkData> madeUp = new MadeUpJob();

        assertThatThrownBy(() -> jobs.processor().update(database, madeUp))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.processor().finish(database, madeUp))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.processor().resubmit(database, madeUp))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private record MadeUpJob() implements Job<WorkData> {
        @Override
        public JobType<WorkData, ?> type() {
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
        public long claim() {
            return 1;
        }

        @Override
        public int failures() {
            return 0;
        }

        @Override
        public Optional<Instant> firingTime() {
            return Optional.empty();
        }

        @Override
        public Optional<Instant> scheduledTime() {
            return Optional.empty();
        }

        @Override
        public Map<String, String> headers() {
            return Map.of();
        }

        @Override
        public WorkData data() {
            return new WorkData(1);
        }

        @Override
        public boolean isResubmitted() {
            return false;
        }
    }
}
