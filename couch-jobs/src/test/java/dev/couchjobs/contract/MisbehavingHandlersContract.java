package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Outcome;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Whatever handlers and their classes do, their own job comes to an end, and no other job waits for it. */
class MisbehavingHandlersContract extends JobsContract {
    private static final JobType<WorkData, Integer> SQUARE = WorkerContract.SQUARE.retry(RetryPolicy.never());
    private static final JobType<WorkData, Endless> ENDLESS =
            JobType.of("index", WorkData.class, Endless.class).retry(RetryPolicy.never());

    /** An error that cannot be described. */
    private static final class Speechless extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new UnsupportedOperationException("no trace");
        }
    }

    /** A result that cannot be written, and takes the thread along. */
    public record Endless(int depth) {
        @Override
        public int depth() {
            if (depth > 0) {
                throw new StackOverflowError("no end");
            }
            return depth;
        }
    }

    @Test
    void anErrorWhoseMessageIsCutWithinACharacterIsStored() {
        add("j1", 1);

        try (Worker worker =
                jobs.worker().handle(SQUARE, this::failWithHalfACharacter).start()) {
            assertThat(worker).isNotNull();
            assertThat(failureOf(jobs.resultAsync(SQUARE, "j1", LONG))).hasMessageContaining("half ?");
        }
    }

    private Integer failWithHalfACharacter(Object job) {
        throw new PermanentFailureException("half \ud83d");
    }

    @Test
    void aJobThatIsGivenUpForAReasonThatIsCutWithinACharacterIsCancelled() {
        add("j1", 1);

        try (Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    job.progress(0, 0, "half \ud83d");
                    job.cancel("half \ud83d");
                    return 1;
                })
                .start()) {
            assertThat(worker).isNotNull();
            assertThat(failureOf(jobs.resultAsync(SQUARE, "j1", LONG))).hasMessageContaining("half ?");
        }
    }

    @Test
    void anErrorThatCannotBeDescribedEndsItsJobAllTheSame() {
        add("j1", 1);

        try (Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    throw new Speechless();
                })
                .start()) {
            assertThat(worker).isNotNull();
            assertThat(failureOf(jobs.resultAsync(SQUARE, "j1", LONG)))
                    .hasMessageContaining("Speechless")
                    .hasMessageContaining("cannot be had");
        }
    }

    @Test
    void aResultThatCannotBeWrittenForAnErrorEndsItsJobAllTheSame() {
        add("j1", 1);

        try (Worker worker =
                jobs.worker().handle(ENDLESS, job -> new Endless(1)).start()) {
            assertThat(worker).isNotNull();
            assertThat(failureOf(jobs.resultAsync(ENDLESS, "j1", LONG))).hasMessageContaining("no end");
        }
    }

    @Test
    void aJobWhoseEndCannotBeWrittenKeepsNoOtherFromEnding() {
        Environment system = Environment.system();
        CouchJobs unlucky = node(new Environment(Clock.systemUTC(), system.scheduler(), new NoJitter(system.random())));
        CountDownLatch failed = new CountDownLatch(1);
        add("bad", 1);

        try (Worker worker = unlucky.worker()
                .handle(SQUARE.retry(RetryPolicy.standard()), job -> {
                    if (job.id().equals("bad")) {
                        failed.countDown();
                        throw new IllegalStateException("bad");
                    }
                    return 4;
                })
                .shutdownTimeout(Duration.ZERO)
                .start()) {
            assertThat(worker).isNotNull();
            Futures.await(failed);
            add("good", 2);

            assertThat(await(jobs.resultAsync(SQUARE, "good", LONG))).isEqualTo(4);
            await(jobs.remove(database, INDEX, "bad")); // or closing would wait for its end to be written
        }
    }

    @Test
    void anExecutorThatRefusesOnceIsAskedAgain() {
        AtomicBoolean refused = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        Executor moody = task -> {
            if (refused.compareAndSet(false, true)) {
                throw new RejectedExecutionException("not now");
            }
            threads.execute(task);
        };
        add("j1", 1);

        try (Worker worker =
                jobs.worker().handle(SQUARE, job -> 1).executor(moody).start()) {
            assertThat(worker).isNotNull();
            assertThat(await(jobs.resultAsync(SQUARE, "j1", LONG))).isEqualTo(1);
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void aHandlerWhoseJobWasReleasedIsNotToldThatItHasFinishedIt() {
        assertThat(errorOfLateHandler(() -> {}))
                .isExactlyInstanceOf(JobHaltedException.class)
                .hasMessageContaining("released");
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void aHandlerWhoseJobWasReleasedLearnsThatAlsoIfAnotherProcessorHasIt() {
        assertThat(errorOfLateHandler(() -> await(jobs.processor().accept(SQUARE))))
                .isExactlyInstanceOf(JobHaltedException.class)
                .hasMessageContaining("released");
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
    }

    /** What a handler gets that finishes its job only after its worker has closed, and after something else. */
    private Throwable errorOfLateHandler(Runnable afterClose) {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        CompletableFuture<Integer> late = new CompletableFuture<>();
        add("j1", 1);
        Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        Futures.await(closed);
                    }
                    late.completeAsync(() -> job.finish(tx -> 1), Runnable::run);
                    return 1;
                })
                .shutdownTimeout(Duration.ZERO)
                .start();
        Futures.await(begun);

        worker.close();
        afterClose.run();
        closed.countDown();

        return failureOf(late);
    }

    @Test
    void closingWaitsForAHandlerThatWasToldToStop() {
        Cleanup cleanup = new Cleanup();
        Worker worker = cleanup.start(Duration.ofMinutes(1));
        assertThat(failureOf(jobs.resultAsync(SQUARE, "j1", LONG))).hasMessageContaining("time limit");

        CompletableFuture<Void> closed = worker.closeAsync();
        assertThatThrownBy(() -> closed.get(SHORTLY.toMillis(), TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        cleanup.mayEnd.countDown();

        await(closed);
    }

    @Test
    void aHandlerThatDoesNotStopHoldsClosingUpForTheShutdownTimeoutOnly() {
        Cleanup cleanup = new Cleanup();
        Worker worker = cleanup.start(SHORTLY);
        assertThat(failureOf(jobs.resultAsync(SQUARE, "j1", LONG))).hasMessageContaining("time limit");

        worker.close();

        assertThat(cleanup.mayEnd.getCount()).isEqualTo(1);
        cleanup.mayEnd.countDown();
    }

    @Test
    void aHandlerThatHasFinishedItsJobIsInterruptedAtTheEndOfTheShutdownTimeout() {
        CountDownLatch finished = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        add("j1", 1);
        Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    job.finish(tx -> 1);
                    finished.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.complete(job.isHalted());
                    }
                    return 1;
                })
                .shutdownTimeout(SHORTLY)
                .start();
        Futures.await(finished);

        worker.close();

        assertThat(await(interrupted)).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void theStageOfAHandlerThatHasFinishedItsJobIsCancelledAtTheEndOfTheShutdownTimeout() {
        CompletableFuture<CompletableFuture<Integer>> finishing = new CompletableFuture<>();
        add("j1", 1);
        Worker worker = jobs.worker()
                .handleAsync(SQUARE, job -> {
                    CompletableFuture<Integer> stage = job.finishAsync(tx -> CompletableFuture.completedFuture(1))
                            .thenCompose(done -> new CompletableFuture<>());
                    finishing.complete(stage);
                    return stage;
                })
                .shutdownTimeout(SHORTLY)
                .start();
        CompletableFuture<Integer> stage = await(finishing);
        assertThat(await(jobs.resultAsync(SQUARE, "j1", LONG))).isEqualTo(1);

        worker.close();

        assertThatThrownBy(() -> await(stage)).isInstanceOf(CancellationException.class);
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aWorkerThatMayWaitForHandlersForeverCloses() {
        add("j1", 1);
        Worker worker = jobs.worker()
                .handle(SQUARE, job -> 1)
                .shutdownTimeout(ChronoUnit.FOREVER.getDuration())
                .start();
        assertThat(await(jobs.resultAsync(SQUARE, "j1", LONG))).isEqualTo(1);

        await(worker.closeAsync());
    }

    /** A handler whose time limit is up, and that then takes its time. */
    private final class Cleanup {
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        Worker start(Duration shutdownTimeout) {
            add("j1", 1);
            return jobs.worker()
                    .handle(SQUARE, job -> {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            Futures.await(mayEnd);
                        }
                        return 1;
                    })
                    .timeLimit(SQUARE, SHORTLY)
                    .shutdownTimeout(shutdownTimeout)
                    .start();
        }
    }

    @Test
    void anErrorIsTheEndOfAnAttemptAndNotOfTheWorker() {
        add("j1", 1);

        try (Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    if (job.id().equals("j1")) {
                        throw new LinkageError("no such method");
                    }
                    return 1;
                })
                .concurrency(1)
                .start()) {
            assertThat(worker).isNotNull();
            assertThat(failureOf(jobs.resultAsync(SQUARE, "j1", LONG))).hasMessageContaining("no such method");
            add("j2", 2);
            assertThat(await(jobs.resultAsync(SQUARE, "j2", LONG))).isEqualTo(1);
        }
        JobInfo<WorkData, Integer> job =
                await(jobs.getJob(database, SQUARE, "j1")).orElseThrow();
        assertThat(job.outcome()).contains(Outcome.FAILED);
    }

    @Test
    void aTimeThatCannotBeCountedIsRefusedBeforeAJobMeetsIt() {
        Duration tooLong = Duration.ofSeconds(Long.MAX_VALUE);

        assertThatThrownBy(() -> jobs.worker().timeLimit(SQUARE, tooLong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("36,500 days");
        assertThatThrownBy(() -> RetryPolicy.standard().backoff(tooLong, 1, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("365 days");
    }

    /** Randomness that has none for pauses between attempts, so that the end of a failed one cannot be worked out. */
    private record NoJitter(RandomGenerator random) implements RandomGenerator {
        @Override
        public long nextLong() {
            return random.nextLong();
        }

        @Override
        public double nextDouble() {
            throw new IllegalStateException("no jitter today");
        }
    }
}
