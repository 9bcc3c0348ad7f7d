package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Subscription;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A claim that is released is no failure: releases are counted apart, by reason, and bounded. */
class ReleasesContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK =
            JobType.of(INDEX.name(), WorkData.class).retry(RetryPolicy.never());
    private static final int RELEASES = 9;

    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    private JobInfo<WorkData, Void> info(String id) {
        return await(jobs.getJob(database, WORK, id)).orElseThrow();
    }

    private Job<WorkData> claim(JobType<WorkData, Void> type) {
        return await(jobs.processor()
                        .accept(
                                type,
                                AcceptOptions.nonBlocking().maxSchedTime(Instant.ofEpochSecond(Integer.MAX_VALUE))))
                .orElseThrow();
    }

    @Test
    void aDeployCostsNoAttempt() {
        add("j1", 1);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Worker worker = jobs.worker()
                .process(WORK, job -> {
                    running.countDown();
                    never.await();
                })
                .shutdownTimeout(Duration.ZERO)
                .start();
        Futures.await(running);

        worker.close();

        JobInfo<WorkData, Void> released = info("j1");
        assertThat(released.state()).isEqualTo(JobState.PENDING);
        assertThat(released.failures()).isZero();
        assertThat(released.releases(ReleaseReason.SHUTDOWN)).isEqualTo(1);
        assertThat(released.releases(ReleaseReason.OUT_OF_MEMORY)).isZero();
        assertThat(released.lastAttempt().orElseThrow().end()).contains(AttemptEnd.RELEASED);
    }

    @Test
    void aJobThatIsReleasedTooOftenFails() {
        JobType<WorkData, Void> work = WORK.maxReleases(ReleaseReason.SHUTDOWN, 2);
        add("j1", 1);
        for (int i = 1; i <= 2; i++) {
            await(jobs.processor().release(database, claim(work)));
            assertThat(info("j1").state()).isEqualTo(JobState.PENDING);
            assertThat(info("j1").releases(ReleaseReason.SHUTDOWN)).isEqualTo(i);
        }

        await(jobs.processor().release(database, claim(work)));

        assertThat(info("j1").outcome()).contains(Outcome.FAILED);
        assertThat(info("j1").error())
                .hasValueSatisfying(error -> assertThat(error).contains("released 2 times", "SHUTDOWN"));
        assertThat(await(jobs.deadLetters().retry(database, work, "j1"))).isTrue();
        assertThat(info("j1").releases(ReleaseReason.SHUTDOWN)).isZero();
    }

    @Test
    void memoryAndShutdownAreCountedApart() {
        add("j1", 1);
        await(jobs.processor().release(database, claim(WORK)));
        for (int i = 1; i <= ReleaseReason.OUT_OF_MEMORY.defaultMax(); i++) {
            JobState after = await(jobs.processor()
                    .fail(database, claim(WORK), new IllegalStateException(new OutOfMemoryError("too large"))));
            assertThat(after).isEqualTo(JobState.PENDING);
            assertThat(info("j1").releases(ReleaseReason.OUT_OF_MEMORY)).isEqualTo(i);
            assertThat(info("j1").error().orElseThrow()).contains("OutOfMemoryError: too large");
        }
        assertThat(info("j1").releases(ReleaseReason.SHUTDOWN)).isEqualTo(1);
        assertThat(info("j1").failures()).isZero();

        await(jobs.processor().fail(database, claim(WORK), new OutOfMemoryError("too large")));

        assertThat(info("j1").outcome()).contains(Outcome.FAILED);
        assertThat(info("j1").error().orElseThrow()).startsWith("java.lang.OutOfMemoryError: too large");
    }

    @Test
    void aTypeThatDoesNotRetryWithoutMemoryFailsAtOnce() {
        add("j1", 1);

        await(jobs.processor()
                .fail(database, claim(WORK.doNotRetryOn(OutOfMemoryError.class)), new OutOfMemoryError("too large")));

        assertThat(info("j1").outcome()).contains(Outcome.FAILED);
    }

    @Test
    void theCountIsStoredBehindTheEndOfTheClaimAndOutlastsFailures() {
        JobType<WorkData, Void> work = WORK.retry(RetryPolicy.standard());
        add("j1", 1);
        assertThat(rows.value("data", INDEX.name(), "j1")).hasSizeLessThanOrEqualTo(RELEASES);

        await(jobs.processor().release(database, claim(work)));
        assertThat(rows.value("data", INDEX.name(), "j1").get(RELEASES)).isEqualTo(List.of(1L, 0L));

        Job<WorkData> claimed = claim(work);
        assertThat(info("j1").releases(ReleaseReason.SHUTDOWN)).isEqualTo(1);
        await(jobs.processor().fail(database, claimed, new IllegalStateException("no paper")));
        assertThat(info("j1").releases(ReleaseReason.SHUTDOWN)).isEqualTo(1);
        await(jobs.processor().finish(database, claim(work)));
        await(jobs.add(database, work, "j1", new WorkData(2)));
        assertThat(info("j1").releases(ReleaseReason.SHUTDOWN)).isZero();
    }

    @Test
    void aClaimThatIsPutBackIsNoAttempt() {
        Instant deadline = Instant.now().plusSeconds(3_600).truncatedTo(ChronoUnit.MILLIS);
        await(jobs.add(database, NewJob.of(WORK, new WorkData(1)).id("j1").startBefore(deadline)));
        Job<WorkData> claimed = claim(WORK);
        assertThat(info("j1").startBefore()).isEmpty();

        await(jobs.processor().putBack(database, claimed));

        JobInfo<WorkData, Void> back = info("j1");
        assertThat(back.state()).isEqualTo(JobState.PENDING);
        assertThat(back.startBefore()).contains(deadline);
        assertThat(back.releases(ReleaseReason.SHUTDOWN)).isZero();
        assertThat(back.lastAttempt()).isEmpty();
    }

    @Test
    void aClaimWhoseCallerHasGoneKeepsItsDeadline() {
        Instant deadline = Instant.now().plusSeconds(3_600).truncatedTo(ChronoUnit.MILLIS);
        CompletableFuture<CompletableFuture<Optional<Job<WorkData>>>> call = new CompletableFuture<>();
        await(jobs.add(database, NewJob.of(WORK, new WorkData(1)).id("j1").startBefore(deadline)));
        Subscription<WorkData> changes = subscribe("j1");
        try (CouchJobs leaving = CouchJobs.builder(database)
                .subspace(prefix)
                .listener(new JobsListener() {
                    @Override
                    public void claimed(Claimed event) {
                        call.join().cancel(false);
                    }
                })
                .build()) {
            call.complete(leaving.processor().accept(WORK));
            assertThat(await(changes.awaitEvent(JobState.RUNNING, LONG))).isPresent();
            assertThat(await(changes.awaitEvent(JobState.PENDING, LONG))).isPresent();
        }

        assertThat(info("j1").state()).isEqualTo(JobState.PENDING);
        assertThat(info("j1").startBefore()).contains(deadline);
    }

    @Test
    void aBoundIsNotNegative() {
        assertThatThrownBy(() -> WORK.maxReleases(ReleaseReason.SHUTDOWN, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThat(WORK.maxReleases(ReleaseReason.SHUTDOWN)).isEqualTo(100);
    }
}
