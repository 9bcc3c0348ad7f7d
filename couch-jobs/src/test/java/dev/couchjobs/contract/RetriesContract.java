package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.RetryPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Jobs that fail are tried again as their policy says, and no more often. */
class RetriesContract extends SumsContract {
    private static final RetryPolicy STEADY = RetryPolicy.standard()
            .attempts(4)
            .backoff(Duration.ofSeconds(10), 3, Duration.ofSeconds(60))
            .jitter(0);
    private static final JobType<WorkData, Integer> STEADY_SUM = SUM.retry(STEADY);

    private JobState fail(Job<WorkData> job) {
        return await(sums.processor().fail(database, job, new IllegalStateException("no")));
    }

    private Instant nextTry() {
        return info("j1").scheduledTime().orElseThrow();
    }

    @Test
    void thePausesGrowUntilTheAttemptsRunOut() {
        assertThat(fail(running(STEADY_SUM, "j1"))).isEqualTo(JobState.PENDING);
        assertThat(nextTry()).isEqualTo(NOON.plusSeconds(10));
        assertThat(fail(claim(STEADY_SUM, "j1"))).isEqualTo(JobState.PENDING);
        assertThat(nextTry()).isEqualTo(NOON.plusSeconds(30));
        assertThat(fail(claim(STEADY_SUM, "j1"))).isEqualTo(JobState.PENDING);
        assertThat(nextTry()).isEqualTo(NOON.plusSeconds(60));
        assertThat(info("j1").failures()).isEqualTo(3);

        assertThat(fail(claim(STEADY_SUM, "j1"))).isEqualTo(JobState.FINISHED);

        assertThat(info("j1").outcome()).contains(Outcome.FAILED);
        assertThat(info("j1").failures()).isEqualTo(4);
        assertThat(info("j1").error().orElseThrow()).contains("no");
        assertThat(info("j1").data()).isEqualTo(new WorkData(1));
    }

    @Test
    void aJobIsNotHandedOutBeforeItsPauseIsOver() {
        fail(running(STEADY_SUM, "j1"));

        assertThat(await(sums.processor().accept(SUM, AcceptOptions.nonBlocking())))
                .isEmpty();
        clock.advance(Duration.ofSeconds(10));
        assertThat(await(sums.processor().accept(SUM, AcceptOptions.nonBlocking())))
                .isPresent();
    }

    @Test
    void withoutAPauseAJobMayBeTriedAtOnce() {
        JobType<WorkData, Integer> eager = SUM.retry(STEADY.backoff(Duration.ZERO, 1, Duration.ZERO));

        fail(running(eager, "j1"));

        assertThat(info("j1").scheduledTime()).isEmpty();
        assertThat(await(sums.processor().accept(SUM, AcceptOptions.nonBlocking())))
                .isPresent();
    }

    @Test
    void anErrorThatNoAttemptWouldMendEndsTheJobAtOnce() {
        JobType<WorkData, Integer> strict = STEADY_SUM.doNotRetryOn(IOException.class, IllegalArgumentException.class);

        assertThat(await(sums.processor().fail(database, running(strict, "j1"), new NumberFormatException("x"))))
                .isEqualTo(JobState.FINISHED);
        assertThat(await(sums.processor()
                        .fail(
                                database,
                                running(strict, "j2"),
                                new CompletionException(new PermanentFailureException("never", new IOException("x"))))))
                .isEqualTo(JobState.FINISHED);
        assertThat(await(sums.processor()
                        .fail(database, running(strict, "j3"), new UncheckedIOException(new IOException("x")))))
                .isEqualTo(JobState.PENDING);
        assertThat(info("j1").error().orElseThrow()).startsWith("java.lang.NumberFormatException: x\n  at ");
        assertThat(info("j2").error().orElseThrow())
                .startsWith("dev.couchjobs.PermanentFailureException: never")
                .contains("Caused by: java.io.IOException: x");
    }

    @Test
    void theErrorThatIsKeptIsShortWhateverItIs() {
        IllegalStateException endless = new IllegalStateException("\uD83D\uDE00".repeat(1_000_000));
        endless.initCause(new IllegalStateException("y".repeat(1_000_000), new IOException("z".repeat(1_000_000))));

        await(sums.processor().fail(database, running("j1"), endless));

        assertThat(info("j1").error().orElseThrow())
                .hasSizeLessThan(4_010)
                .contains("IllegalStateException: ")
                .contains("yyyy")
                .doesNotContain("?");
    }

    @Test
    void anErrorWhoseMessageCannotBeHadEndsTheAttemptAllTheSame() {
        assertThat(await(sums.processor().fail(database, running("j1"), new Speechless())))
                .isEqualTo(JobState.PENDING);
        assertThat(info("j1").error().orElseThrow()).contains("Speechless");
    }

    @SuppressWarnings("serial")
    private static final class Speechless extends RuntimeException {
        @Override
        public String getMessage() {
            throw new IllegalStateException("speechless");
        }
    }

    @Test
    void toSnoozeIsNoFailure() {
        JobType<WorkData, Integer> once = SUM.retry(RetryPolicy.never());
        Job<WorkData> job = running(once, "j1");

        await(sums.processor().snooze(database, job, Duration.ofMinutes(5)));

        assertThat(state("j1")).isEqualTo(JobState.PENDING);
        assertThat(nextTry()).isEqualTo(NOON.plusSeconds(300));
        assertThat(info("j1").failures()).isZero();
        assertThat(info("j1").lastAttempt().orElseThrow().end()).contains(AttemptEnd.SNOOZED);
        Job<WorkData> again = claim(once, "j1");
        assertThatThrownBy(() -> sums.processor().snooze(database, again, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> sums.processor().snooze(database, again, Duration.ofDays(40_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aJobThatWasAddedAgainWhileItRanIsPendingAfterItsLastFailure() {
        Job<WorkData> job = running(SUM.retry(RetryPolicy.never()), "j1");
        await(sums.add(database, NewJob.of(SUM, new WorkData(2)).id("j1").at(NOON.plusSeconds(3))));

        assertThat(fail(job)).isEqualTo(JobState.PENDING);

        assertThat(nextTry()).isEqualTo(NOON.plusSeconds(3));
        assertThat(info("j1").failures()).isZero();
        assertThat(await(sums.details().attempts(database, SUM, "j1")).get(0).end())
                .contains(AttemptEnd.FAILED);
    }

    @Test
    void aJobsOwnPolicyGoesBeforeThatOfItsType() {
        RetryPolicy own = RetryPolicy.standard().attempts(2);
        await(sums.add(database, NewJob.of(SUM, new WorkData(1)).id("j1").retry(own)));

        assertThat(fail(claim(SUM.retry(RetryPolicy.never()), "j1"))).isEqualTo(JobState.PENDING);
        assertThat(fail(claim(SUM, "j1"))).isEqualTo(JobState.FINISHED);
    }

    @Test
    void whoeverStillWorksForAClaimThatHasFailedIsNotToldThatHisWorkIsDone() {
        Job<WorkData> job = running(STEADY_SUM, "j1");
        fail(job);

        assertThat(failureOf(sums.processor().finish(database, job)))
                .isInstanceOf(JobHaltedException.class)
                .isNotInstanceOf(JobAlreadyFinishedException.class)
                .hasMessageContaining("has ended as failed");
    }

    @Test
    void aProcessorThatGoesSilentHasFailedAndAfterTheLastAttemptTheJobHas() {
        shortLeases(SUM);
        JobType<WorkData, Integer> once = SUM.retry(RetryPolicy.never());
        Job<WorkData> job = running(once, "j1");

        node().maintenance().monitor(once);

        Throwable failure = failureOf(sums.resultAsync(SUM, "j1", LONG));
        assertThat(failure).hasMessageContaining("sent no heartbeat").hasMessageContaining("attempt 1 of 1");
        assertThat(info("j1").outcome()).contains(Outcome.FAILED);
        assertThat(info("j1").lastAttempt().orElseThrow().end()).contains(AttemptEnd.EXPIRED);
        assertThat(info("j1").failures()).isEqualTo(1);
        assertThat(failureOf(sums.processor().finish(database, job)))
                .isInstanceOf(JobHaltedException.class)
                .isNotInstanceOf(JobAlreadyFinishedException.class);
    }

    @Test
    void aProcessorThatGoesSilentBeforeTheLastAttemptLeavesTheJobPending() {
        JobType<WorkData, Integer> twice = SUM.retry(STEADY.attempts(2));
        running(twice, "j1");
        var subscription = await(sums.subscribe(database, SUM, "j1"));

        shortLeases(SUM);
        node().maintenance().monitor(twice);

        assertThat(await(subscription.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.PENDING);
        longLeases(SUM);
        assertThat(info("j1").failures()).isEqualTo(1);
        assertThat(fail(claim(twice, "j1"))).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aJobThatIsToRunOnceMoreHasAllItsAttemptsBeforeItThoughItsProcessorGoesSilent() {
        JobType<WorkData, Integer> twice = SUM.retry(STEADY.attempts(2));
        fail(running(twice, "j1"));
        await(sums.processor().resubmit(database, claim(twice, "j1")));
        var subscription = await(sums.subscribe(database, SUM, "j1"));

        shortLeases(SUM);
        node().maintenance().monitor(twice);

        assertThat(await(subscription.awaitEvent(LONG)).orElseThrow().state()).isEqualTo(JobState.PENDING);
        longLeases(SUM);
        assertThat(info("j1").failures()).isZero();
        assertThat(fail(claim(twice, "j1"))).isEqualTo(JobState.PENDING);
    }

    @Test
    void ofManyAttemptsTheLastHundredAreKept() {
        JobType<WorkData, Integer> eager = SUM.retry(new RetryPolicy(1_000, Duration.ZERO, 1, Duration.ZERO, 0));
        await(sums.add(database, eager, "j1", new WorkData(1)));
        try (CouchJobs processor = node(clock)) {
            for (int i = 0; i < 105; i++) {
                fail(await(processor.processor().accept(eager)).orElseThrow());
            }
        }

        assertThat(await(sums.details().attempts(database, SUM, "j1")))
                .hasSize(101)
                .last()
                .satisfies(last -> assertThat(last.claim()).isEqualTo(105));
        assertThat(info("j1").claims()).isEqualTo(105);
    }
}
