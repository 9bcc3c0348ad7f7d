package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Subscription;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A worker goes on whatever is the matter around it: no threads, no limits, cancelled stages, and other jobs' losses.
 */
class WorkerTroublesContract extends JobsContract {
    private static final JobType<WorkData, Integer> SQUARE = JobType.of("index", WorkData.class, Integer.class);
    private static final JobType<WorkData, Void> LETTER = JobType.of("mail", WorkData.class);

    private JobInfo<WorkData, Integer> info(String jobId) {
        return await(jobs.getJob(database, SQUARE, jobId)).orElseThrow();
    }

    /** The job as its end leaves it. */
    private JobInfo<WorkData, Integer> ended(WorkerBuilder builder, String jobId) {
        Worker worker = builder.start();
        try {
            awaitFinished(jobId);
        } finally {
            worker.close();
        }
        return info(jobId);
    }

    private void awaitFinished(String jobId) {
        try (Subscription<WorkData> subscription = subscribe(jobId)) {
            assertThat(await(subscription.awaitEvent(JobState.FINISHED, LONG))).isPresent();
        }
    }

    @Test
    void anExecutorThatHasNoThreadAtPresentIsAskedAgain() {
        ExecutorService threads = Executors.newCachedThreadPool();
        AtomicBoolean refused = new AtomicBoolean();
        Executor reluctant = task -> {
            if (!refused.getAndSet(true)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            threads.execute(task);
        };
        add("j1", 1);

        ended(jobs.worker().handle(SQUARE, job -> 1).executor(reluctant), "j1");

        assertThat(info("j1").outcome()).contains(Outcome.SUCCEEDED);
        threads.shutdown();
    }

    @Test
    void asManyJobsAtOnceAsThereAreMayRun() {
        CountDownLatch first = new CountDownLatch(300);
        CountDownLatch all = new CountDownLatch(600);
        addMany(300);

        Worker worker = jobs.worker()
                .handle(SQUARE, job -> {
                    first.countDown();
                    all.countDown();
                    return 1;
                })
                .concurrency(Integer.MAX_VALUE)
                .start();
        Futures.await(first);
        for (int i = 0; i < 300; i++) {
            add("late" + i, i);
        }
        Futures.await(all);
        worker.close();
    }

    @Test
    void anErrorThatCannotBeLookedAtEndsItsJob() {
        JobType<WorkData, Integer> once = SQUARE.doNotRetryOn(RuntimeException.class);
        add("j1", 1);

        JobInfo<WorkData, Integer> failed = ended(
                jobs.worker().handle(once, job -> {
                    throw new Unspeakable();
                }),
                "j1");

        assertThat(failed.error().orElseThrow()).contains(Unspeakable.class.getName());
    }

    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new AssertionError("not to be asked");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new AssertionError("not to be asked");
        }
    }

    @Test
    void theLossOfAnotherTypesJobOfTheSameIdIsNotItsOwn() {
        await(jobs.add(database, MAIL, "42", new WorkData(1)));
        Job<WorkData> lost = await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow();
        await(jobs.remove(database, MAIL, "42"));
        CompletableFuture<Boolean> halted = new CompletableFuture<>();
        add("42", 1);

        JobInfo<WorkData, Integer> finished = ended(
                jobs.worker().handle(SQUARE, job -> {
                    try {
                        job.run(tx -> jobs.processor().update(tx, lost).join());
                    } catch (JobHaltedException e) {
                        halted.complete(job.isHalted());
                    }
                    return 1;
                }),
                "42");

        assertThat(finished.result()).contains(1);
        assertThat(await(halted)).isFalse();
    }

    @Test
    void aHandlerThatBlocksWhenItsStageIsCancelledHoldsUpNobody() {
        CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
        CountDownLatch release = new CountDownLatch(1);
        add("j1", 1);
        Worker worker = jobs.worker()
                .handleAsync(SQUARE, job -> {
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    var unused = stage.whenComplete((result, error) -> {
                        cancelled.complete(true);
                        Futures.await(release);
                    });
                    return stage;
                })
                .timeLimit(SQUARE, Duration.ofMillis(1))
                .start();
        assertThat(await(cancelled)).isTrue();

        assertThat(await(jobs.processor().accept(MAIL, AcceptOptions.defaults().timeout(SHORTLY))))
                .isEmpty();

        release.countDown();
        worker.close();
    }

    @Test
    void anInstanceThatIsClosedWhileAWorkerStartsIsClosed() {
        CompletableFuture<Runnable> closing = new CompletableFuture<>();
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1) {
            @Override
            public void execute(Runnable task) {
                closing.join().run();
                super.execute(task);
            }
        };
        CouchJobs node = node(new Environment(
                Environment.system().clock(), timer, Environment.system().random()));
        AtomicInteger closed = new AtomicInteger();
        closing.complete(() -> {
            node.close();
            closed.incrementAndGet();
        });

        assertThatThrownBy(() -> node.worker()
                        .handle(SQUARE, job -> 1)
                        .process(LETTER, job -> {})
                        .start())
                .isInstanceOf(CouchJobsClosedException.class);

        assertThat(closed).hasPositiveValue();
        timer.shutdownNow();
    }

    @Test
    void theRetryPolicyOfTheWorkerThatRunsAJobDecides() {
        JobType<WorkData, Integer> once = SQUARE.retry(RetryPolicy.never());
        JobType<WorkData, Integer> twice =
                SQUARE.retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO));
        add("j1", 1);
        ended(jobs.worker().handle(once, job -> fail()), "j1");
        add("j2", 1);
        ended(jobs.worker().handle(twice, job -> fail()), "j2");
        add("j3", 1);
        ended(jobs.worker().handle(once, job -> fail()), "j3");

        assertThat(List.of(
                        info("j1").failures(), info("j2").failures(), info("j3").failures()))
                .containsExactly(1, 2, 1);
    }

    private static Integer fail() {
        throw new IllegalStateException("no");
    }

    @Test
    void theRetryPolicyOfTheWorkerThatRunsAJobDecidesWhenItsProcessorGoesSilent() {
        shortLeases(INDEX);
        add("before", 1);
        ended(jobs.worker().handle(SQUARE.retry(RetryPolicy.standard()), job -> 1), "before");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Worker worker = jobs.worker()
                .handle(SQUARE.retry(RetryPolicy.never()), job -> {
                    begun.countDown();
                    Futures.await(release);
                    return 1;
                })
                .concurrency(1)
                .start();
        add("busy", 1);
        Futures.await(begun);
        add("lost", 1);
        try (CouchJobs gone = node()) {
            await(gone.processor().accept(INDEX));
        }

        assertThat(failureOf(jobs.resultAsync(SQUARE, "lost", LONG)))
                .hasMessageContaining("attempt 1 of 1")
                .hasMessageContaining("expired 1 times: its process died or was suspended while it ran");
        longLeases(INDEX);
        release.countDown();
        worker.close();
    }

    @Test
    void twoWorkersWithDifferentPoliciesForOneTypeAreRefusedWhileBothRun() {
        RetryPolicy standard = RetryPolicy.standard();
        RetryPolicy never = RetryPolicy.never();
        Worker first = jobs.worker().handle(SQUARE.retry(standard), job -> 1).start();

        assertThatThrownBy(() ->
                        jobs.worker().handle(SQUARE.retry(never), job -> 1).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("index")
                .hasMessageContaining(standard.toString())
                .hasMessageContaining(never.toString());
        jobs.worker().handle(SQUARE.retry(standard), job -> 1).start().close();

        first.close();
        jobs.worker().handle(SQUARE.retry(never), job -> 1).start().close();
    }

    @Test
    void aClosedInstanceRefusesItsVerbsWithADatabaseAndWithATransaction() {
        CouchJobs closed = node();
        Job<WorkData> job = accepted("j1", 1);
        closed.close();

        try (Transaction tx = database.createTransaction()) {
            for (TransactionContext context : List.of(database, tx)) {
                List<CompletableFuture<?>> verbs = List.of(
                        closed.add(context, INDEX, "j2", new WorkData(1)),
                        closed.addAll(context, List.of(NewJob.of(INDEX, new WorkData(1)))),
                        closed.remove(context, INDEX, "j1"),
                        closed.processor().update(context, job),
                        closed.processor().finish(context, job),
                        closed.processor().fail(context, job, new IllegalStateException("no")),
                        closed.processor().resubmit(context, job),
                        closed.processor().log(context, job, "entry"),
                        closed.getJob(context, INDEX, "j1"),
                        closed.list(context, INDEX, PageRequest.of(1)),
                        closed.counts(context, INDEX),
                        closed.types().setTypeTimeout(context, INDEX, LONG),
                        closed.types().getTypes(context),
                        closed.subscribe(context, INDEX, "j1"),
                        closed.deadLetters().retry(context, INDEX, "j1"),
                        closed.deadLetters().retryAll(INDEX),
                        closed.resultAsync(SQUARE, "j1", LONG),
                        closed.processor().accept(INDEX));
                assertThat(verbs)
                        .allSatisfy(verb -> assertThat(failureOf(verb)).isInstanceOf(CouchJobsClosedException.class));
            }
        }
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        assertThat(stateOf("j2")).isEqualTo(JobState.NOT_FOUND);
    }
}
