package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Subscription;
import dev.couchjobs.TooManyJobsException;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever does many things in one transaction does fewer where a transaction may not be as large. */
class SmallTransactionsContract extends JobsContract {
    private static final int JOBS = 150;
    private static final int FEW = 5;
    private static final int SMALL_BYTES = 20_000;
    private static final int LARGEST_BYTES = 10_000_000;
    /** Long enough for the heartbeats of all jobs, which need many transactions. */
    private static final Duration LEASE = Duration.ofSeconds(5);

    private static final JobType<String, Void> LETTER =
            JobType.of("letter", String.class).retry(RetryPolicy.never()).retention(Retention.of(Duration.ofDays(1)));

    @BeforeEach
    void allowLittle() {
        longLeases(LETTER);
        database.options().setTransactionSizeLimit(SMALL_BYTES);
    }

    @AfterEach
    void allowAll() {
        database.options().setTransactionSizeLimit(LARGEST_BYTES);
    }

    private static List<NewJob<?>> letters(JobType<String, Void> type, int from, int count) {
        List<NewJob<?>> all = new ArrayList<>();
        IntStream.range(from, from + count)
                .forEach(i -> all.add(NewJob.of(type, "x".repeat(500)).id("j" + i)));
        return all;
    }

    private void addLetters(JobType<String, Void> type) {
        for (int from = 0; from < JOBS; from += FEW) {
            await(jobs.addAll(database, letters(type, from, FEW)));
        }
    }

    private JobCounts counts() {
        return await(jobs.counts(database, LETTER));
    }

    /** Lets a second pass at a time, by waiting for what does not happen. */
    private void until(BooleanSupplier condition) {
        await(jobs.add(database, MAIL, "idle", new WorkData(1)));
        try (Subscription<WorkData> idle = await(jobs.subscribe(database, MAIL, "idle"))) {
            for (int i = 0; !condition.getAsBoolean(); i++) {
                assertThat(i).as("patience").isLessThan(600);
                await(idle.awaitEvent(SHORTLY));
            }
        }
    }

    @Test
    void aWorkerClaimsAndEndsAllOfABacklog() {
        addLetters(LETTER);

        Worker worker =
                jobs.worker().concurrency(JOBS).process(LETTER, job -> {}).start();

        until(() -> counts().succeeded() == JOBS);
        worker.close();
    }

    @Test
    void aWorkerKeepsWhatItHolds() {
        await(jobs.types().setTypeTimeout(database, LETTER, LEASE));
        addLetters(LETTER);
        CountDownLatch begun = new CountDownLatch(JOBS);
        CompletableFuture<Void> end = new CompletableFuture<>();
        Worker worker = jobs.worker()
                .concurrency(JOBS)
                .handleAsync(LETTER, job -> {
                    begun.countDown();
                    return end.thenApply(done -> null);
                })
                .start();
        until(() -> begun.getCount() == 0);

        awaitLease();
        assertThat(counts().running()).isEqualTo(JOBS);
        end.complete(null);
        until(() -> counts().succeeded() == JOBS);
        worker.close();
    }

    /** Waits until a job of another type has lost a lease that begins now. */
    private void awaitLease() {
        await(jobs.types().setTypeTimeout(database, INDEX, LEASE));
        accepted("silent", 1);
        try (Subscription<WorkData> silent = subscribe("silent")) {
            node().maintenance().monitor(INDEX);
            assertThat(await(silent.awaitEvent(JobState.PENDING, LONG))).isPresent();
        }
    }

    @Test
    void theMonitorPutsAllBack() {
        JobType<String, Void> again = LETTER.retry(RetryPolicy.standard());
        addLetters(again);
        try (CouchJobs leaving = node()) {
            for (int i = 0; i < JOBS; i++) {
                await(leaving.processor().accept(again));
            }
        }
        shortLeases(again);
        jobs.maintenance().monitor(again);

        until(() -> counts().pending() == JOBS);
    }

    @Test
    void deadLettersAreSentAgainAndListed() {
        addLetters(LETTER);
        for (int i = 0; i < JOBS; i++) {
            Job<String> job = await(jobs.processor().accept(LETTER)).orElseThrow();
            await(jobs.processor().fail(database, job, new IllegalStateException("no")));
        }

        assertThat(await(jobs.deadLetters().list(database, LETTER, PageRequest.of(JOBS)))
                        .items())
                .hasSize(JOBS);
        assertThat(await(jobs.deadLetters().retryAll(LETTER))).isEqualTo(JOBS);
        assertThat(counts().pending()).isEqualTo(JOBS);
    }

    @Test
    void whatIsOverIsRemoved() {
        JobType<String, Void> brief = LETTER.retention(Retention.of(Duration.ofMillis(1)));
        addLetters(brief);
        try (CouchJobs leaving = node()) {
            for (int i = 0; i < JOBS; i++) {
                await(leaving.processor()
                        .finish(
                                database,
                                await(leaving.processor().accept(brief)).orElseThrow()));
            }
        }
        jobs.maintenance().monitor(brief);

        until(() -> counts().total() == 0);
    }

    @Test
    void allWhoWaitForAJobAreTold() {
        await(jobs.add(database, LETTER, "first", "x"));
        for (int i = 0; i < JOBS; i++) {
            await(jobs.add(
                    database, NewJob.of(LETTER, "then").id("j" + i).after(DependingJobs.orFail(LETTER, "first"))));
        }
        allowAll();
        await(jobs.remove(database, LETTER, "first")); // as many are told in this transaction as one tells
        allowLittle();
        jobs.maintenance().monitor(LETTER);

        until(() -> counts().failed() == JOBS);
    }

    @Test
    void aBatchThatIsTooLargeIsRefusedAndSaysSo() {
        assertThat(failureOf(jobs.addAll(database, letters(LETTER, 0, JOBS))))
                .isInstanceOfSatisfying(
                        TooManyJobsException.class,
                        error -> assertThat(error.jobsMax()).isEqualTo(JOBS / 2));
        assertThat(await(jobs.getJobState(database, LETTER, "j0"))).isEqualTo(JobState.NOT_FOUND);
    }
}
