package dev.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.JobContext;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The kit as a test of somebody's own code meets it. */
class JobsTestKitTest {
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final JobType<String, Integer> LENGTH = JobType.of("length", String.class, Integer.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(PAUSE, 1, PAUSE).jitter(0));
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);

    private final JobsTestKit kit = JobsTestKit.forTypes(LENGTH, MAIL);
    private final List<String> handled = new ArrayList<>();

    @AfterEach
    void close() {
        kit.close();
    }

    private void workOnLengths() {
        kit.work(worker -> worker.handle(LENGTH, job -> {
            handled.add(job.data());
            return job.data().length();
        }));
    }

    @Test
    void aJobRunsOnlyWhenTheTestSaysSo() {
        workOnLengths();
        kit.jobs().add(kit.database(), LENGTH, "j1", "four").join();
        assertThat(handled).isEmpty();

        kit.runDue();

        assertThat(handled).containsExactly("four");
        assertThat(kit.result(LENGTH, "j1")).isEqualTo(4);
    }

    @Test
    void aScheduledJobRunsWhenItsTimeHasCome() {
        workOnLengths();
        kit.jobs()
                .add(
                        kit.database(),
                        NewJob.of(LENGTH, "later").id("j1").at(kit.now().plus(Duration.ofDays(1))))
                .join();
        kit.runDue();
        kit.advance(Duration.ofHours(23));
        assertThat(handled).isEmpty();

        kit.advance(Duration.ofHours(2));

        assertThat(handled).containsExactly("later");
    }

    @Test
    void setTheClockAndAScheduledJobIsDue() {
        workOnLengths();
        kit.jobs()
                .add(
                        kit.database(),
                        NewJob.of(LENGTH, "later").id("j1").at(kit.now().plus(Duration.ofDays(1))))
                .join();

        kit.setClock(kit.now().plus(Duration.ofDays(2)));
        kit.advance(Duration.ofMinutes(1));

        assertThat(handled).containsExactly("later");
    }

    @Test
    void aFailedJobIsTriedAgainAfterItsPauseAndThenIsADeadLetter() {
        kit.work(worker -> worker.handle(LENGTH, job -> {
            handled.add("attempt " + job.attempt());
            throw new IllegalStateException("no luck");
        }));
        kit.jobs().add(kit.database(), LENGTH, "j1", "x").join();

        kit.runDue();
        assertThat(handled).containsExactly("attempt 1");
        assertThat(kit.assertEnqueued(LENGTH, "x").scheduledTime())
                .contains(kit.now().plus(PAUSE));
        kit.advance(PAUSE);

        assertThat(handled).containsExactly("attempt 1", "attempt 2");
        assertThatThrownBy(() -> kit.result(LENGTH, "j1"))
                .isInstanceOf(JobFailedException.class)
                .hasMessageContaining("no luck");
    }

    @Test
    void whatWasEnqueuedCanBeAssertedAndOtherwiseTheMessageSaysWhatWas() {
        kit.assertNothingEnqueued(MAIL);
        kit.jobs().add(kit.database(), MAIL, "j1", "to ann").join();

        assertThat(kit.assertEnqueued(MAIL, "to ann")).isEqualTo(new EnqueuedJob<>("j1", "to ann", Optional.empty()));
        assertThatThrownBy(() -> kit.assertEnqueued(MAIL, "to bob"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("to bob")
                .hasMessageContaining("to ann");
        assertThatThrownBy(() -> kit.assertNothingEnqueued(MAIL)).hasMessageContaining("to ann");
    }

    @Test
    void aJobThatRunsIsNoLongerEnqueued() {
        workOnLengths();
        kit.jobs().add(kit.database(), LENGTH, "j1", "four").join();
        kit.runDue();

        kit.assertNothingEnqueued(LENGTH);
    }

    @Test
    void aTransactionThatIsNotCommittedEnqueuesNothing() {
        try (var tx = kit.database().createTransaction()) {
            kit.jobs().add(tx, MAIL, "j1", "to ann").join();
        }

        kit.assertNothingEnqueued(MAIL);
    }

    @Test
    void aHandlerWritesThroughItsJobAndEnqueuesWhatFollowsInTheSameCommit() {
        byte[] key = "length".getBytes(StandardCharsets.UTF_8);
        kit.work(worker -> worker.handle(
                LENGTH,
                job -> job.finish(tx -> {
                    tx.set(key, new byte[] {(byte) job.data().length()});
                    kit.jobs().add(tx, MAIL, "after-" + job.id(), "done").join();
                    return job.data().length();
                })));
        kit.jobs().add(kit.database(), LENGTH, "j1", "four").join();

        kit.runDue();

        assertThat(kit.database().<byte[]>read(tx -> tx.get(key).join())).containsExactly(4);
        kit.assertEnqueued(MAIL, "done");
    }

    @Test
    void theResultOfAJobThatHasNotEndedIsAnErrorThatSaysWhatToDo() {
        kit.jobs().add(kit.database(), LENGTH, "j1", "four").join();

        assertThatThrownBy(() -> kit.result(LENGTH, "j1"))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessageContaining(JobState.PENDING.name())
                .hasMessageContaining("runDue");
        assertThatThrownBy(() -> kit.result(LENGTH, "j2")).hasMessageContaining("There is no job j2");
    }

    @Test
    void whatWaitsForAJobIsDoneOnceTheJobHasRun() {
        workOnLengths();
        kit.jobs().add(kit.database(), LENGTH, "j1", "four").join();
        var result = kit.jobs().resultAsync(LENGTH, "j1", Duration.ofMinutes(1));
        assertThat(result).isNotDone();

        kit.runDue();

        assertThat(result).isCompletedWithValue(4);
    }

    @Test
    void waitingForAResultOnTheThreadThatMovesTimeFailsAtOnce() {
        kit.jobs().add(kit.database(), LENGTH, "j1", "four").join();

        assertThatThrownBy(() -> kit.jobs().result(LENGTH, "j1", Duration.ofHours(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("resultAsync");
    }

    @Test
    void aKitMayHaveSettingsOfItsOwn() {
        JobMiddleware around = new JobMiddleware() {
            @Override
            public CompletionStage<?> run(JobContext<?> job, Attempt next) {
                handled.add("around " + job.id());
                return next.run();
            }
        };
        try (JobsTestKit own = JobsTestKit.with(jobs -> jobs.middleware(around))) {
            own.work(worker -> worker.handle(LENGTH, job -> job.data().length()));
            own.jobs().add(own.database(), LENGTH, "j1", "four").join();
            own.runDue();

            assertThat(own.result(LENGTH, "j1")).isEqualTo(4);
            assertThat(handled).containsExactly("around j1");
        }
    }
}
