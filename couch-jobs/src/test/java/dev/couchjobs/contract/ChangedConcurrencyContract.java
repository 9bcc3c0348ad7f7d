package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.testing.Polling;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A worker that runs gets more slots, or fewer. */
class ChangedConcurrencyContract extends JobsContract {
    private static final JobType<WorkData, Void> STEP = JobType.of("index", WorkData.class);
    private static final JobType<WorkData, Void> LETTER = JobType.of("mail", WorkData.class);

    /** The ends of the jobs that run, in the order of their begin. */
    private final BlockingQueue<CompletableFuture<Void>> running = new LinkedBlockingQueue<>();

    private CompletableFuture<Void> hold() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        running.add(end);
        return end;
    }

    private Worker worker(int concurrency) {
        return jobs.worker()
                .handleAsync(STEP, job -> hold())
                .concurrency(concurrency)
                .start();
    }

    private CompletableFuture<Void> nextBegun() {
        try {
            return Optional.ofNullable(running.poll(30, TimeUnit.SECONDS))
                    .orElseThrow(() -> new AssertionError("No further job begins."));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private void addLetters(int count) {
        IntStream.range(0, count).forEach(i -> await(jobs.add(database, LETTER, "m" + i, new WorkData(i))));
    }

    private int reportedConcurrency() {
        return await(jobs.workers().list(database, PageRequest.of(1)))
                .items()
                .get(0)
                .concurrency();
    }

    private long finished(int count) {
        return IntStream.range(0, count)
                .filter(i -> stateOf("j" + i) == JobState.FINISHED)
                .count();
    }

    @Test
    void moreSlotsLetJobsThatWaitBeginAtOnce() {
        addMany(5);
        Worker worker = worker(1);
        CompletableFuture<Void> first = nextBegun();

        worker.concurrency(4);

        CompletableFuture<?>[] others = {nextBegun(), nextBegun(), nextBegun()};
        assertThat(first).isNotDone();
        assertThat(running).isEmpty();
        assertThat(worker.concurrency()).isEqualTo(4);
        first.complete(null);
        for (CompletableFuture<?> other : others) {
            other.complete(null);
        }
        nextBegun().complete(null);
        worker.close();
        assertThat(finished(5)).isEqualTo(5);
    }

    @Test
    void withFewerSlotsRunningJobsEndAndNoneBeginsUntilFewerRun() {
        addMany(4);
        Worker worker = worker(3);
        CompletableFuture<Void> first = nextBegun();
        CompletableFuture<Void> second = nextBegun();
        CompletableFuture<Void> third = nextBegun();

        worker.concurrency(1);
        first.complete(null);
        second.complete(null);
        awaitEnds(2);

        assertThat(running).isEmpty();
        assertThat(third).isNotDone();
        third.complete(null);
        nextBegun().complete(null);
        worker.close();
        assertThat(finished(4)).isEqualTo(4);
    }

    /** Waits until so many jobs have finished: when the last end is written, its slot is free. */
    private void awaitEnds(int count) {
        while (finished(4) < count) {
            Polling.pause();
        }
    }

    @Test
    void theLimitOfATypeStaysAndCanBeChanged() {
        addLetters(4);
        Worker worker = jobs.worker()
                .handleAsync(STEP, job -> hold())
                .handleAsync(LETTER, job -> hold())
                .concurrency(2)
                .concurrency(LETTER, 1)
                .start();
        CompletableFuture<Void> first = nextBegun();

        worker.concurrency(8);
        addMany(1);
        CompletableFuture<Void> step = nextBegun(); // while it waited, no letter has begun

        assertThat(running).isEmpty();
        worker.concurrency(LETTER, 3);
        CompletableFuture<?>[] letters = {nextBegun(), nextBegun()};
        assertThat(running).isEmpty();
        for (CompletableFuture<?> letter : letters) {
            letter.complete(null);
        }
        step.complete(null);
        first.complete(null);
        nextBegun().complete(null);
        worker.close();
    }

    @Test
    void aTypeThatIsTakenUpLaterHasTheChangedNumber() {
        addLetters(3);
        Worker worker = worker(1);

        worker.concurrency(2);
        worker.handleAsync(LETTER, job -> hold());

        CompletableFuture<Void> first = nextBegun();
        CompletableFuture<Void> second = nextBegun();
        assertThat(running).isEmpty();
        first.complete(null);
        second.complete(null);
        nextBegun().complete(null);
        worker.close();
    }

    @Test
    void jobsThatAreClaimedAheadEndWithFewerSlotsToo() {
        CountDownLatch some = new CountDownLatch(100);
        CountDownLatch all = new CountDownLatch(400);
        addMany(400);
        Worker worker = jobs.worker()
                .process(STEP, job -> {
                    some.countDown();
                    all.countDown();
                })
                .concurrency(8)
                .start();
        Futures.await(some);

        worker.concurrency(1);

        Futures.await(all);
        worker.close();
        assertThat(finished(400)).isEqualTo(400);
    }

    @Test
    void theRowOfTheWorkerSaysHowManyJobsItRuns() {
        Worker worker = worker(2);
        while (await(jobs.workers().list(database, PageRequest.of(1))).items().isEmpty()) {
            Polling.pause();
        }
        assertThat(reportedConcurrency()).isEqualTo(2);

        worker.concurrency(7);

        while (reportedConcurrency() != 7) {
            Polling.pause();
        }
        worker.close();
    }

    @Test
    void aWorkerThatIsClosedStaysClosed() {
        Worker worker = worker(1);
        worker.close();

        worker.concurrency(3);

        addMany(1);
        assertThat(stateOf("j0")).isEqualTo(JobState.PENDING);
        assertThat(await(jobs.workers().list(database, PageRequest.of(1))).items())
                .isEmpty();
    }

    @Test
    void numbersThatCannotBeAndTypesWithoutAHandlerAreRefused() {
        try (Worker worker = worker(1)) {
            assertThatThrownBy(() -> worker.concurrency(0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> worker.concurrency(STEP, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> worker.concurrency(LETTER, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("mail")
                    .hasMessageContaining("index");
        }
    }
}
