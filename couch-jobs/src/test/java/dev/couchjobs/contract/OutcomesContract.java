package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobCancelledException;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobNotFoundException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTooLargeException;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.ResultTimeoutException;
import dev.couchjobs.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What comes of a job is stored, and given to whoever waits for it. */
class OutcomesContract extends SumsContract {
    private static final JobType<WorkData, Integer> OTHER = JobType.of("other", WorkData.class, Integer.class);
    private static final JobType<WorkData, String> TEXT = JobType.of("sum", WorkData.class, String.class);

    @Test
    void aWaitThatIsRefusedLeavesNoTimerBehind() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
        CouchJobs node = node(new Environment(
                Environment.system().clock(), timer, Environment.system().random()));

        assertThatThrownBy(() -> node.resultAsync(SUM, "", Duration.ofDays(1)))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(timer.getQueue()).isEmpty();
        timer.shutdownNow();
    }

    @Test
    void whoWaitsForTheResultIsGivenItWhenTheJobIsDoneWhereverThatIs() {
        Job<WorkData> job = running("j1");
        CompletableFuture<Integer> result = node().resultAsync(SUM, "j1", LONG);

        await(sums.processor().finishWithResult(database, SUM, job, 42));

        assertThat(await(result)).isEqualTo(42);
    }

    @Test
    void whoComesLaterIsGivenItAtOnce() {
        await(sums.processor().finishWithResult(database, SUM, running("j1"), 42));

        assertThat(sums.result(SUM, "j1", Duration.ZERO)).isEqualTo(42);
        assertThat(sums.result(SUM, "j1", LONG)).isEqualTo(42);
    }

    @Test
    void aJobThatEndedWithoutAResultHasNone() {
        await(sums.processor().finish(database, running("j1")));

        assertThat(sums.result(SUM, "j1", LONG)).isNull();
        assertThat(info("j1").result()).isEmpty();
        assertThat(info("j1").outcome()).contains(Outcome.SUCCEEDED);
    }

    @Test
    void ofTwoEndsAtOnceOneHoldsAndTheOtherIsToldSo() {
        List<Function<Job<WorkData>, CompletableFuture<?>>> ends = List.of(
                job -> sums.processor().finishWithResult(database, SUM, job, 1),
                job -> sums.processor().finishWithResult(database, SUM, job, 2),
                job -> sums.processor().finish(database, job),
                job -> sums.processor().fail(database, job, new PermanentFailureException("no")),
                job -> sums.processor().snooze(database, job, Duration.ofHours(1)),
                job -> sums.processor().cancel(database, job, "no"),
                job -> sums.processor().release(database, job));
        for (int i = 0; i < ends.size(); i++) {
            for (int j = 0; j < ends.size(); j++) {
                String id = "j" + i + j;
                Job<WorkData> job = running(id);
                CompletableFuture<?> first = ends.get(i).apply(job);
                CompletableFuture<?> second = ends.get(j).apply(job);
                await(first.handle((done, error) -> null));
                await(second.handle((done, error) -> null));

                assertThat(first.isCompletedExceptionally())
                        .as("%s and %s", i, j)
                        .isNotEqualTo(second.isCompletedExceptionally());
                boolean isSecond = first.isCompletedExceptionally();
                assertThat(failureOf(isSecond ? first : second))
                        .isInstanceOfSatisfying(
                                JobHaltedException.class,
                                halt -> assertThat(halt.end()).isPresent());
                int kept = isSecond ? j : i;
                assertThat(info(id).result()).isEqualTo(kept < 2 ? Optional.of(kept + 1) : Optional.empty());
                await(sums.remove(database, SUM, id));
            }
        }
    }

    @Test
    void whoWaitsForAJobThatFailsIsToldItsError() {
        Job<WorkData> job = running("j1");
        CompletableFuture<Integer> result = sums.resultAsync(SUM, "j1", LONG);

        await(sums.processor().fail(database, job, new PermanentFailureException("the disk is full")));

        assertThat(failureOf(result))
                .isInstanceOfSatisfying(JobFailedException.class, failed -> {
                    assertThat(failed.typeName()).isEqualTo("sum");
                    assertThat(failed.jobId()).isEqualTo("j1");
                    assertThat(failed.error()).contains("PermanentFailureException: the disk is full");
                })
                .hasMessageContaining("the disk is full");
        assertThatThrownBy(() -> sums.result(SUM, "j1", LONG)).isInstanceOf(JobFailedException.class);
    }

    @Test
    void whoWaitsForAJobThatIsCancelledIsToldWhy() {
        Job<WorkData> job = running("j1");
        CompletableFuture<Integer> result = sums.resultAsync(SUM, "j1", LONG);

        await(sums.processor().cancel(database, job, "nobody wants it"));

        assertThat(failureOf(result))
                .isInstanceOfSatisfying(
                        JobCancelledException.class,
                        cancelled -> assertThat(cancelled.reason()).isEqualTo("nobody wants it"));
        assertThat(info("j1").outcome()).contains(Outcome.CANCELLED);
    }

    @Test
    void whoWaitsForAJobThatIsNotThereOrRemovedIsToldSo() {
        assertThat(failureOf(sums.resultAsync(SUM, "j1", LONG)))
                .isInstanceOfSatisfying(
                        JobNotFoundException.class,
                        missing -> assertThat(missing.hasEnded()).isFalse());
        assertThat(failureOf(sums.resultAsync(SUM, "j1", Duration.ZERO))).isInstanceOf(JobNotFoundException.class);

        running("j1");
        CompletableFuture<Integer> result = sums.resultAsync(SUM, "j1", LONG);
        await(sums.remove(database, SUM, "j1"));

        assertThat(failureOf(result)).isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void whoWaitsForAJobOfWhichNothingIsKeptIsToldThatItEnded() {
        JobType<WorkData, Integer> fleeting = SUM.retention(Retention.of(Duration.ZERO));
        Job<WorkData> job = running(fleeting, "j1");
        var subscription = await(sums.subscribe(database, SUM, "j1"));
        CompletableFuture<Integer> result = sums.resultAsync(SUM, "j1", LONG);

        await(sums.processor().finishWithResult(database, fleeting, job, 42));

        assertThat(await(subscription.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.FINISHED);
        assertThat(failureOf(result))
                .isInstanceOfSatisfying(
                        JobNotFoundException.class,
                        missing -> assertThat(missing.hasEnded()).isTrue());
        assertThat(state("j1")).isEqualTo(JobState.NOT_FOUND);
        assertThat(rows.under("data")).isEmpty();
        assertThat(rows.under("retire")).isEmpty();
    }

    @Test
    void whoHasWaitedLongEnoughIsToldSoAndMayAskAgain() {
        Job<WorkData> job = running("j1");

        assertThat(failureOf(sums.resultAsync(SUM, "j1", SHORTLY))).isInstanceOf(ResultTimeoutException.class);
        assertThatThrownBy(() -> sums.result(SUM, "j1", Duration.ZERO))
                .isInstanceOf(ResultTimeoutException.class)
                .hasMessageContaining("j1");
        assertThatThrownBy(() -> sums.resultAsync(SUM, "j1", Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);

        await(sums.processor().finishWithResult(database, SUM, job, 42));
        assertThat(result("j1")).isEqualTo(42);
    }

    @Test
    void aThreadThatIsInterruptedWaitsNoLonger() {
        running("j1");
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> sums.result(SUM, "j1", LONG)).isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whoWaitsThroughAnInstanceThatIsClosedIsToldSo() {
        running("j1");
        CompletableFuture<Integer> result = sums.resultAsync(SUM, "j1", LONG);
        await(sums.getJobState(database, SUM, "j1"));

        sums.close();

        assertThat(failureOf(result)).isInstanceOf(CouchJobsClosedException.class);
    }

    @Test
    void aResultEndsWithTheJobsNextRunAndTheNextOneIsWaitedFor() {
        await(sums.processor().finishWithResult(database, SUM, running("j1"), 1));

        Job<WorkData> again = running("j1");
        CompletableFuture<Integer> result = sums.resultAsync(SUM, "j1", LONG);
        assertThat(info("j1").result()).isEmpty();
        await(sums.processor().finishWithResult(database, SUM, again, 2));

        assertThat(await(result)).isEqualTo(2);
    }

    @Test
    void aResultMayBeLargeAndGoesWithItsJob() {
        String large = "x".repeat(200_000);
        await(sums.processor().finishWithResult(database, TEXT, running("j1"), large));

        assertThat(sums.result(TEXT, "j1", LONG)).isEqualTo(large);
        assertThat(rows.under("result", "sum")).hasSize(3);
        await(sums.remove(database, SUM, "j1"));
        assertThat(rows.under("result")).isEmpty();
    }

    @Test
    void aResultThatIsTooLargeOrOfAnotherTypeIsRefusedAndTheClaimIsKept() {
        Job<WorkData> job = running("j1");

        assertThatThrownBy(() -> sums.processor().finishWithResult(database, TEXT, job, "x".repeat(8_000_000)))
                .isInstanceOf(PayloadTooLargeException.class)
                .hasMessageContaining("result");
        assertThatThrownBy(() -> sums.processor().finishWithResult(database, OTHER, job, 42))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(state("j1")).isEqualTo(JobState.RUNNING);
        await(sums.processor().finishWithResult(database, SUM, job, 42));
    }

    @Test
    void aResultThatCannotBeReadHidesNothingElse() {
        await(sums.processor().finishWithResult(database, TEXT, running("j1"), "no number"));

        assertThat(failureOf(sums.resultAsync(SUM, "j1", LONG)))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("result");
        assertThat(info("j1").outcome()).contains(Outcome.SUCCEEDED);
        assertThatThrownBy(() -> info("j1").result()).isInstanceOf(PayloadException.class);
    }

    @Test
    void aLostClaimStoresNothing() {
        Job<WorkData> job = running("j1");
        await(sums.remove(database, SUM, "j1"));

        assertThat(failureOf(sums.processor().finishWithResult(database, SUM, job, 42)))
                .isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(sums.processor().fail(database, job, new IllegalStateException())))
                .isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(sums.processor().snooze(database, job, Duration.ZERO)))
                .isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(sums.processor().cancel(database, job, "why not"))).isInstanceOf(JobHaltedException.class);
        assertThat(state("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aResultCommitsWithWhatTheCallerWritesOrNotAtAll() {
        Job<WorkData> job = running("j1");

        commit(tx -> {
            await(sums.processor().finishWithResult(tx, SUM, job, 42));
            tx.set(key("effect"), new byte[0]);
            assertThat(await(sums.getJob(tx, SUM, "j1")).orElseThrow().result()).contains(42);
        });

        assertThat(isWritten("effect")).isTrue();
        assertThat(result("j1")).isEqualTo(42);
    }

    @Test
    void aJobWithoutItsDataTellsAllElse() {
        await(sums.processor().finishWithResult(database, SUM, running("j1"), 42));

        assertThat(await(sums.details().withoutData(database, SUM, "j1"))).hasValueSatisfying(job -> {
            assertThat(job.result()).contains(42);
            assertThat(job.lastAttempt()).isEqualTo(info("j1").lastAttempt());
            assertThatThrownBy(job::data)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("getJob");
        });
        assertThat(await(sums.details().withoutData(database, SUM, "j2"))).isEmpty();
    }

    @Test
    void aJobTellsAllThatIsKnownOfIt() {
        assertThat(await(sums.getJob(database, SUM, "j1"))).isEmpty();
        await(sums.add(database, NewJob.of(SUM, new WorkData(7)).id("j1").at(NOON)));
        assertThat(info("j1")).satisfies(job -> {
            assertThat(job.type()).isEqualTo(SUM);
            assertThat(job.id()).isEqualTo("j1");
            assertThat(job.state()).isEqualTo(JobState.PENDING);
            assertThat(job.outcome()).isEmpty();
            assertThat(job.scheduledTime()).contains(NOON);
            assertThat(job.data()).isEqualTo(new WorkData(7));
            assertThat(job.claims()).isZero();
            assertThat(job.lastAttempt()).isEmpty();
            assertThat(job.endedAt()).isEmpty();
            assertThat(job.priority()).isZero();
            assertThat(job.isBlocked()).isFalse();
        });

        await(sums.processor().finishWithResult(database, SUM, claim(SUM, "j1"), 42));

        assertThat(info("j1")).satisfies(job -> {
            assertThat(job.state()).isEqualTo(JobState.FINISHED);
            assertThat(job.outcome()).contains(Outcome.SUCCEEDED);
            assertThat(job.claims()).isEqualTo(1);
            assertThat(job.failures()).isZero();
            assertThat(job.error()).isEmpty();
            assertThat(job.endedAt()).contains(NOON);
            assertThat(job.removeAt()).contains(NOON.plus(Duration.ofDays(7)));
            assertThat(job.result()).contains(42);
        });
    }

    @Test
    void theHistoryOfAJobTellsWhoTriedItWhenAndHowThatEnded() {
        assertThat(await(sums.details().attempts(database, SUM, "j1"))).isEmpty();
        await(sums.processor().fail(database, running("j1"), new IllegalStateException("no")));
        clock.advance(Duration.ofMinutes(1));
        await(sums.processor().snooze(database, claim(SUM, "j1"), Duration.ofMinutes(1)));
        clock.advance(Duration.ofMinutes(1));
        await(sums.processor().finishWithResult(database, SUM, claim(SUM, "j1"), 42));
        clock.advance(Duration.ofMinutes(1));
        running("j1");

        List<JobAttempt> attempts = await(sums.details().attempts(database, SUM, "j1"));

        assertThat(attempts).extracting(JobAttempt::claim).containsExactly(1L, 2L, 3L, 4L);
        assertThat(attempts)
                .extracting(attempt -> attempt.end().orElse(null))
                .containsExactly(AttemptEnd.FAILED, AttemptEnd.SNOOZED, AttemptEnd.SUCCEEDED, null);
        assertThat(attempts)
                .extracting(JobAttempt::since)
                .containsExactly(NOON, NOON.plusSeconds(60), NOON.plusSeconds(120), NOON.plusSeconds(180));
        assertThat(attempts.get(0).error().orElseThrow()).contains("IllegalStateException: no");
        assertThat(attempts.get(0).until()).contains(NOON);
        assertThat(attempts.get(0).by()).isNotEmpty();
        assertThat(attempts.get(3).until()).isEmpty();
        assertThat(rows.under("attempts", "sum"))
                .containsExactly(Tuple.from("j1", 1), Tuple.from("j1", 2), Tuple.from("j1", 3));
        await(sums.remove(database, SUM, "j1"));
        assertThat(rows.under("attempts")).isEmpty();
    }

    @Test
    void theHistoryCallsAnInstanceByTheNameItWasGiven() {
        String longest = "\uD83D\uDE00".repeat(100);
        await(sums.add(database, SUM, "j1", new WorkData(1)));
        try (CouchJobs named =
                CouchJobs.builder(database).subspace(prefix).name(longest).build()) {
            await(named.processor().accept(SUM));
        }

        assertThat(await(sums.details().attempts(database, SUM, "j1")))
                .extracting(JobAttempt::by)
                .containsExactly(longest);
    }

    @Test
    void whatCannotBeTheNameOfAnInstanceIsRefused() {
        CouchJobsBuilder builder = CouchJobs.builder(database);

        for (String name : List.of("", "x".repeat(201), "a\uD83D", "\uDE00\uD83D")) {
            assertThatThrownBy(() -> builder.name(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("choose");
        }
    }
}
