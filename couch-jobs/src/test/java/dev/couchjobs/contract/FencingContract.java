package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The fence: {@code halt} fails the caller's transaction, and a takeover conflicts with it, so that nothing
 * a former holder writes beside {@code update} or {@code finish} is committed.
 */
class FencingContract extends JobsContract {
    private static final int CONFLICT = 1020;

    private void assertConflicts(CompletableFuture<Void> commit) {
        assertThat(failureOf(commit))
                .isInstanceOfSatisfying(
                        FDBException.class, error -> assertThat(error.getCode()).isEqualTo(CONFLICT));
    }

    @Test
    void aHaltedProcessorWritesNothing() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.remove(database, INDEX, "j1"));

        CompletableFuture<Job<WorkData>> fenced = database.runAsync(tx -> {
            tx.set(key("result"), new byte[0]);
            return jobs.processor().update(tx, job);
        });

        assertThat(failureOf(fenced)).isInstanceOf(JobHaltedException.class);
        assertThat(isWritten("result")).isFalse();
    }

    @Test
    void aHaltedProcessorThatDoesNotLookAtTheAnswerWritesNothingEither() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.remove(database, INDEX, "j1"));

        try (Transaction tx = database.createTransaction()) {
            tx.set(key("result"), new byte[0]);
            CompletableFuture<Void> ignored = jobs.processor().finish(tx, job);
            assertThat(failureOf(ignored)).isInstanceOf(JobHaltedException.class);
            assertThat(failureOf(tx.commit())).isInstanceOf(FDBException.class);
        }
        assertThat(isWritten("result")).isFalse();
    }

    @Test
    void whatWasWrittenWithAFinishIsNotWrittenAgainWithTheSameFinish() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().finish(database, job));

        CompletableFuture<Void> again = database.runAsync(tx -> {
            tx.set(key("result"), new byte[0]);
            return jobs.processor().finish(tx, job);
        });

        assertThat(failureOf(again)).isInstanceOf(JobAlreadyFinishedException.class);
        assertThat(isWritten("result")).isFalse();
    }

    @Test
    void aTakeoverBetweenUpdateAndCommitIsAConflict() {
        Job<WorkData> mine = accepted("j1", 1);
        try (Transaction tx = database.createTransaction()) {
            tx.set(key("result"), new byte[0]);
            await(jobs.processor().update(tx, mine));
            await(jobs.remove(database, INDEX, "j1"));
            accepted("j1", 2);
            assertConflicts(tx.commit());
        }
        assertThat(isWritten("result")).isFalse();
    }

    @Test
    void aHeartbeatDoesNotConflictWithATransactionOfTheSameClaim() {
        Job<WorkData> job = accepted("j1", 1);
        try (Transaction updating = database.createTransaction();
                Transaction logging = database.createTransaction();
                Transaction resubmitting = database.createTransaction();
                Transaction finishing = database.createTransaction()) {
            await(jobs.processor().update(updating, job, new WorkData(2)));
            await(jobs.processor().update(database, job));
            await(updating.commit());

            await(jobs.processor().log(logging, job, "half-way"));
            await(jobs.processor().update(database, job));
            await(logging.commit());

            await(jobs.processor().resubmit(resubmitting, job));
            await(jobs.processor().update(database, job));
            await(resubmitting.commit());

            finishing.set(key("result"), new byte[0]);
            await(jobs.processor().finish(finishing, job));
            await(jobs.processor().update(database, job));
            await(finishing.commit());
        }
        assertThat(isWritten("result")).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void aHeartbeatDoesNotConflictWithATransactionThatReadsTheJob() {
        Job<WorkData> job = accepted("j1", 1);
        try (Transaction tx = database.createTransaction()) {
            assertThat(await(jobs.getJobState(tx, INDEX, "j1"))).isEqualTo(JobState.RUNNING);
            tx.set(key("because it was running"), new byte[0]);
            await(jobs.processor().update(database, job));
            await(tx.commit());
        }
    }

    @Test
    void aHeartbeatIsNotLostByAnAddOfTheRunningJob() {
        Job<WorkData> job = accepted("j1", 1);
        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, INDEX, "j1", new WorkData(2)));
            await(jobs.processor().update(database, job));
            assertConflicts(tx.commit());
        }
    }

    @Test
    void aHeartbeatConflictsWithTheEndOfItsClaim() {
        Job<WorkData> job = accepted("j1", 1);
        try (Transaction heartbeat = database.createTransaction()) {
            await(jobs.processor().update(heartbeat, job));
            await(jobs.processor().finish(database, job));
            assertConflicts(heartbeat.commit());
        }
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void whoeverReadsAJobAndWritesConflictsWithItsChange() {
        add("j1", 1);
        try (Transaction tx = database.createTransaction()) {
            assertThat(await(jobs.getJobState(tx, INDEX, "j1"))).isEqualTo(JobState.PENDING);
            tx.set(key("because it was pending"), new byte[0]);
            accept();
            assertConflicts(tx.commit());
        }
    }

    @Test
    void changesOfDifferentJobsDoNotConflict() {
        Job<WorkData> j1 = accepted("j1", 1);
        Job<WorkData> j2 = accepted("j2", 1);
        try (Transaction one = database.createTransaction();
                Transaction other = database.createTransaction()) {
            await(jobs.processor().update(one, j1, new WorkData(2)));
            await(jobs.add(one, INDEX, "j3", new WorkData(2)));
            await(jobs.processor().finish(other, j2, new WorkData(2)));
            await(jobs.add(other, INDEX, "j4", new WorkData(2)));
            await(one.commit());
            await(other.commit());
        }
        assertThat(all(database, INDEX))
                .extracting(JobSummary::state)
                .isEqualTo(List.of(JobState.RUNNING, JobState.FINISHED, JobState.PENDING, JobState.PENDING));
    }
}
