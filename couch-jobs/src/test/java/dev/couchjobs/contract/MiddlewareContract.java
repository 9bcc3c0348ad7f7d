package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Middleware is called around additions and attempts, and decides what they come to. */
class MiddlewareContract extends JobsContract {
    private static final JobType<WorkData, Integer> WORK = JobType.of(INDEX.name(), WorkData.class, Integer.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO));
    private static final NewJob<WorkData> JOB = NewJob.of(WORK, new WorkData(1)).id("j1");

    private final List<CouchJobs> opened = new ArrayList<>();
    private BlockingQueue<String> events = new LinkedBlockingQueue<>();

    /** An instance closes without waiting for its handlers: what they note later belongs to the test before. */
    @BeforeEach
    void noEvents() {
        events = new LinkedBlockingQueue<>();
    }

    @AfterEach
    void closeAll() {
        opened.forEach(CouchJobs::close);
        opened.clear();
    }

    private CouchJobs with(JobMiddleware... middleware) {
        var builder = CouchJobs.builder(database).subspace(prefix);
        List.of(middleware).forEach(builder::middleware);
        CouchJobs made = builder.build();
        opened.add(made);
        return made;
    }

    /** Notes when each addition and attempt begins and ends, and gives each added job a header. */
    private final class Noting implements JobMiddleware {
        private final BlockingQueue<String> noted = events;
        private final String name;

        Noting(String name) {
            this.name = name;
        }

        @Override
        public CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> newJobs, Addition next) {
            noted.add(name + " adds " + newJobs.size());
            return next.add(newJobs.stream().map(job -> job.header(name, "1")).toList())
                    .whenComplete((results, error) -> noted.add(name + " has added"));
        }

        @Override
        public CompletionStage<?> run(JobContext<?> job, Attempt next) {
            noted.add(name + " runs " + job.id());
            return next.run()
                    .whenComplete(
                            (result, error) -> noted.add(name + (error == null ? " got " + result : " saw an error")));
        }
    }

    /** Around attempts only. */
    private interface AroundAttempts extends JobMiddleware {
        @Override
        CompletionStage<?> run(JobContext<?> job, Attempt next);
    }

    /** Around additions only. */
    private interface AroundAdditions extends JobMiddleware {
        @Override
        CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> newJobs, Addition next);
    }

    private List<String> nextEvents(int count) throws InterruptedException {
        List<String> next = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            next.add(events.poll(LONG.toSeconds(), TimeUnit.SECONDS));
        }
        return next;
    }

    private JobInfo<WorkData, Integer> info(String jobId) {
        return await(jobs.getJob(database, WORK, jobId)).orElseThrow();
    }

    private Integer result(String jobId) {
        return await(jobs.resultAsync(WORK, jobId, LONG));
    }

    private static void start(WorkerBuilder worker) {
        var unused = worker.start();
    }

    // Attempts

    @Test
    void theFirstIsTheOutermostAndThatOfAWorkerIsInside() throws InterruptedException {
        CouchJobs node = with(new Noting("a"), new Noting("b"));
        await(jobs.add(database, JOB));

        start(node.worker()
                .handle(WORK, job -> {
                    events.add("handler");
                    return 7;
                })
                .middleware(new Noting("c"))
                .middleware(new Noting("d")));

        assertThat(result("j1")).isEqualTo(7);
        assertThat(nextEvents(9))
                .containsExactly(
                        "a runs j1",
                        "b runs j1",
                        "c runs j1",
                        "d runs j1",
                        "handler",
                        "d got 7",
                        "c got 7",
                        "b got 7",
                        "a got 7");
    }

    @Test
    void middlewareOfAWorkerAloneIsCalled() throws InterruptedException {
        await(jobs.add(database, JOB));

        start(jobs.worker().handle(WORK, job -> 7).middleware(new Noting("only")));

        assertThat(nextEvents(2)).containsExactly("only runs j1", "only got 7");
    }

    @Test
    void anAsynchronousHandlerEndsWithinIt() throws InterruptedException {
        CouchJobs node = with(new Noting("a"));
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        await(jobs.add(database, JOB));

        start(node.worker().handleAsync(WORK, job -> {
            events.add("handler");
            return stage;
        }));
        assertThat(nextEvents(2)).containsExactly("a runs j1", "handler");
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        stage.complete(7);

        assertThat(nextEvents(1)).containsExactly("a got 7");
        assertThat(result("j1")).isEqualTo(7);
    }

    @Test
    void aBlockingHandlerRunsOnItsThread() {
        ThreadLocal<String> tenant = new ThreadLocal<>();
        CouchJobs node = with((AroundAttempts) (job, next) -> {
            tenant.set(job.job().headers().get("tenant"));
            try {
                CompletionStage<?> stage = next.run();
                assertThat(stage.toCompletableFuture()).isDone();
                return stage;
            } finally {
                tenant.remove();
            }
        });
        await(jobs.add(database, JOB.header("tenant", "42")));

        start(node.worker().handle(WORK, job -> Integer.valueOf(tenant.get())));

        assertThat(result("j1")).isEqualTo(42);
    }

    @Test
    void itSeesEachFailureAndWhichAttemptItIs() throws InterruptedException {
        CouchJobs node = with((AroundAttempts)
                (job, next) -> next.run().whenComplete((result, error) -> events.add(job.attempt() + " " + error)));
        await(jobs.add(database, JOB));

        start(node.worker().handle(WORK, job -> {
            throw new IllegalStateException("bad luck");
        }));

        assertThat(nextEvents(2))
                .containsExactly(
                        "1 java.lang.IllegalStateException: bad luck", "2 java.lang.IllegalStateException: bad luck");
    }

    @Test
    void whatItThrowsIsTheErrorOfTheAttempt() {
        AtomicInteger calls = new AtomicInteger();
        CouchJobs node = with((AroundAttempts) (job, next) -> {
            if (job.attempt() == 1) {
                throw new IllegalStateException("not permitted");
            }
            return next.run();
        });
        await(jobs.add(database, JOB));

        start(node.worker().handle(WORK, job -> calls.incrementAndGet()));

        assertThat(result("j1")).isEqualTo(1);
        assertThat(info("j1").claims()).isEqualTo(2);
        assertThat(await(jobs.details().attempts(database, WORK, "j1")).get(0).error())
                .hasValueSatisfying(error -> assertThat(error).contains("IllegalStateException: not permitted"));
    }

    @Test
    void aStageThatItReturnsAndThatFailsFailsTheAttemptForGoodIfTheErrorIsPermanent() {
        CouchJobs node = with((AroundAttempts) (job, next) -> next.run().thenApply(result -> {
            throw new PermanentFailureException("too large");
        }));
        await(jobs.add(database, JOB));

        start(node.worker().handle(WORK, job -> 7));

        assertThatThrownBy(() -> result("j1")).hasMessageContaining("too large");
        assertThat(info("j1").claims()).isEqualTo(1);
    }

    @Test
    void itMayTurnAFailureIntoAResult() {
        CouchJobs node = with((AroundAttempts)
                (job, next) -> next.run().<Object>thenApply(done -> done).exceptionally(error -> 13));
        await(jobs.add(database, JOB));

        start(node.worker().handle(WORK, job -> {
            throw new IllegalStateException("bad luck");
        }));

        assertThat(result("j1")).isEqualTo(13);
        assertThat(info("j1").claims()).isEqualTo(1);
    }

    @Test
    void itMayEndTheAttemptInPlaceOfTheHandler() {
        CouchJobs node = with((AroundAttempts) (job, next) -> {
            job.cancel("not on this machine");
            return CompletableFuture.completedFuture(null);
        });
        await(jobs.add(database, JOB));

        start(node.worker().handle(WORK, job -> 7));

        assertThatThrownBy(() -> result("j1")).hasMessageContaining("not on this machine");
        assertThat(info("j1").outcome()).contains(Outcome.CANCELLED);
    }

    @Test
    void itMayWaitBeforeItEnds() {
        CompletableFuture<Integer> more = new CompletableFuture<>();
        CountDownLatch called = new CountDownLatch(1);
        CouchJobs node = with((AroundAttempts) (job, next) -> {
            CompletionStage<?> stage = next.run();
            called.countDown();
            return stage.thenCombine(more, (result, added) -> (Integer) result + added);
        });
        await(jobs.add(database, JOB));

        start(node.worker().handle(WORK, job -> 7));
        Futures.await(called);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        more.complete(3);

        assertThat(result("j1")).isEqualTo(10);
    }

    @Test
    void theHandlerIsCalledOnce() {
        AtomicInteger calls = new AtomicInteger();
        CouchJobs node = with((AroundAttempts) (job, next) -> next.run().thenCompose(first -> next.run()));
        await(jobs.add(database, JOB.retry(RetryPolicy.standard().attempts(1))));

        start(node.worker().handle(WORK, job -> calls.incrementAndGet()));

        assertThatThrownBy(() -> result("j1")).hasMessageContaining("call next.run() at most once");
        assertThat(calls).hasValue(1);
    }

    @Test
    void middlewareThatReturnsNoStageFailsTheAttempt() {
        CouchJobs node = with((AroundAttempts) (job, next) -> noStage());
        await(jobs.add(database, JOB.retry(RetryPolicy.standard().attempts(1))));

        start(node.worker().handle(WORK, job -> 7));

        assertThatThrownBy(() -> result("j1")).hasMessageContaining("returned null");
    }

    @SuppressWarnings("NullAway") // what a user without NullAway may return
    private static CompletionStage<?> noStage() {
        return null;
    }

    @Test
    void theStageOfAHandlerIsCancelledThroughIt() throws InterruptedException {
        CouchJobs node = with(new Noting("a"));
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        await(jobs.add(database, JOB));
        start(node.worker().handleAsync(WORK, job -> {
            events.add("handler");
            return stage;
        }));
        assertThat(nextEvents(2)).containsExactly("a runs j1", "handler");

        await(jobs.control().cancel(database, WORK, "j1", "no need"));

        assertThat(nextEvents(1)).containsExactly("a saw an error");
        assertThat(stage).isCancelled();
    }

    @Test
    void aStageOfItsOwnIsCancelledIfTheHandlerHasNone() throws InterruptedException {
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        CouchJobs node = with((AroundAttempts) (job, next) -> {
            events.add("waits");
            CompletableFuture<Integer> waiting = new CompletableFuture<>();
            var unused = waiting.whenComplete((result, error) -> ended.complete(1));
            return waiting;
        });
        await(jobs.add(database, JOB));
        start(node.worker().handle(WORK, job -> 7));
        assertThat(nextEvents(1)).containsExactly("waits");

        await(jobs.control().cancel(database, WORK, "j1", "no need"));

        assertThat(await(ended)).isEqualTo(1);
    }

    @Test
    void aBlockingHandlerIsInterruptedThroughIt() throws InterruptedException {
        CouchJobs node = with(new Noting("a"));
        await(jobs.add(database, JOB.retry(RetryPolicy.standard().attempts(1))));

        start(node.worker()
                .handle(WORK, job -> {
                    new CountDownLatch(1).await();
                    return 7;
                })
                .timeLimit(WORK, Duration.ofMillis(50)));

        assertThatThrownBy(() -> result("j1")).hasMessageContaining("time limit");
        assertThat(nextEvents(2)).containsExactly("a runs j1", "a saw an error");
    }

    // Additions

    @Test
    void anAdditionGoesThroughAllOfTheInstance() throws InterruptedException {
        CouchJobs node = with(new Noting("a"), new Noting("b"));

        assertThat(await(node.add(database, JOB)))
                .isEqualTo(new AddResult("j1", AddResult.Change.ADDED, AddResult.GivenData.STORED));

        assertThat(nextEvents(4)).containsExactly("a adds 1", "b adds 1", "b has added", "a has added");
        assertThat(info("j1").headers()).isEqualTo(Map.of("a", "1", "b", "1"));
    }

    @Test
    void everyWayToAddGoesThroughIt() throws InterruptedException {
        CouchJobs node = with(new Noting("a"));

        await(node.add(database, WORK, "j1", new WorkData(1)));
        String made = await(node.add(database, WORK, new WorkData(1))).jobId();
        await(node.addAll(database, List.of(JOB.id("j2"), JOB.id("j3").after(WORK, "j2"))));
        await(node.batches().open(database, Batch.of("b").closing(JOB.id("closing"))));
        commit(tx -> await(node.add(tx, JOB.id("joined"))));

        for (String id : List.of("j1", made, "j2", "j3", "closing", "joined")) {
            assertThat(info(id).headers()).isEqualTo(Map.of("a", "1"));
        }
        assertThat(nextEvents(10))
                .containsExactly(
                        "a adds 1",
                        "a has added",
                        "a adds 1",
                        "a has added",
                        "a adds 2",
                        "a has added",
                        "a adds 1",
                        "a has added",
                        "a adds 1",
                        "a has added");
    }

    @Test
    void aClosingJobIsAddedWithItsBatchOnly() throws InterruptedException {
        List<AddResult> seen = new ArrayList<>();
        CouchJobs node = with((AroundAdditions)
                (newJobs, next) -> next.add(newJobs).whenComplete((results, error) -> seen.addAll(results)));
        Batch batch = Batch.of("b").closing(JOB.id("closing"));

        await(node.batches().open(database, batch));
        assertThat(await(node.batches().open(database, batch)).closingJob()).contains("closing");
        await(node.batches().open(database, Batch.of("without")));

        assertThat(seen)
                .containsExactly(
                        new AddResult("closing", AddResult.Change.ADDED, AddResult.GivenData.STORED),
                        new AddResult("closing", AddResult.Change.UNCHANGED, AddResult.GivenData.DISCARDED));
    }

    @Test
    void aJobThatAHandlerAddsInTheEndOfItsOwnGoesThroughIt() {
        CouchJobs node = with((AroundAdditions) (newJobs, next) -> next.add(
                newJobs.stream().map(job -> job.header("follows", "yes")).toList()));
        await(jobs.add(database, JOB));

        start(node.worker().handle(WORK, job -> {
            if (job.id().equals("next")) {
                return 8;
            }
            return job.finish(tx -> {
                await(node.add(tx, JOB.id("next")));
                return 7;
            });
        }));

        assertThat(result("j1")).isEqualTo(7);
        assertThat(result("next")).isEqualTo(8);
        assertThat(info("next").headers()).isEqualTo(Map.of("follows", "yes"));
    }

    @Test
    void theJobsOfAScheduleAreAddedWithoutItAndRunWithIt() throws InterruptedException {
        CouchJobs node = with(new Noting("a"));
        await(node.schedules()
                .put(database, Schedule.every("s", Duration.ofSeconds(1), NewJob.of(WORK, new WorkData(1)))));

        start(node.worker().handle(WORK, job -> 7));

        assertThat(nextEvents(1).get(0)).startsWith("a runs s");
    }

    @Test
    void badInputStillThrowsAtTheCall() {
        CouchJobs node = with(new Noting("a"));
        NewJob<Object> unwritable = NewJob.of(JobType.of("objects", Object.class), new PayloadsContract.Unwritable());

        assertThatThrownBy(() -> node.add(database, unwritable)).isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> node.addAll(database, List.of(JOB, unwritable)))
                .isInstanceOf(PayloadException.class);
        assertThat(events).containsExactly("a adds 1", "a has added", "a adds 2", "a has added");
    }

    @Test
    void anErrorOfTheAdditionComesThroughIt() throws InterruptedException {
        CouchJobs node = with(new Noting("a"));

        assertThat(failureOf(node.add(database, JOB.after(Dependency.on(WORK, "unknown")))))
                .isInstanceOf(DependencyNotFoundException.class);

        assertThat(nextEvents(2)).containsExactly("a adds 1", "a has added");
    }

    @Test
    void itMayRefuseAnAddition() {
        CouchJobs node = with((AroundAdditions) (newJobs, next) -> {
            throw new UnsupportedOperationException("not now");
        });
        CouchJobs later = with((AroundAdditions)
                (newJobs, next) -> CompletableFuture.failedFuture(new UnsupportedOperationException("not now")));

        assertThatThrownBy(() -> node.add(database, JOB)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(failureOf(later.add(database, JOB))).isInstanceOf(UnsupportedOperationException.class);

        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void itPassesOnAsManyJobsAsItGot() {
        CouchJobs dropping = with((AroundAdditions) (newJobs, next) -> next.add(List.of()));
        CouchJobs answering = with((AroundAdditions) (newJobs, next) -> CompletableFuture.completedFuture(List.of()));

        assertThatThrownBy(() -> dropping.add(database, JOB))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("passes on 0 jobs in place of 1");
        assertThat(failureOf(answering.add(database, JOB)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0 results for 1 jobs");
    }

    @Test
    void nothingIsCalledForNoJobs() {
        CouchJobs node = with(new Noting("a"));

        assertThat(await(node.addAll(database, List.of()))).isEmpty();

        assertThat(events).isEmpty();
    }

    @Test
    void additionsOfOneTransactionSeeEachOther() {
        CouchJobs node = with(new Noting("a"));
        try (Transaction tx = database.createTransaction()) {
            CompletableFuture<AddResult> first = node.add(tx, JOB);
            CompletableFuture<AddResult> second = node.add(tx, JOB);
            assertThat(await(first).change()).isEqualTo(AddResult.Change.ADDED);
            assertThat(await(second).change()).isEqualTo(AddResult.Change.UNCHANGED);
        }
    }
}
