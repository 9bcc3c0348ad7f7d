package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Unique;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sequences: their jobs run one after the other, in the order of the commits that added them. */
class SequenceContract extends JobsContract {
    private static final String ORDER = "order-17";
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);

    private SettableClock clock;
    private CouchJobs timed;
    private StoredRows rows;

    @BeforeEach
    void openNode() {
        clock = new SettableClock(NOON);
        timed = node(clock);
        rows = new StoredRows(database, prefix);
    }

    private static NewJob<WorkData> job(String id) {
        return NewJob.of(INDEX, new WorkData(1)).id(id).sequence(ORDER);
    }

    private void addAll(String... ids) {
        Stream.of(ids).forEach(id -> await(timed.add(database, job(id))));
    }

    private Optional<Job<WorkData>> claim() {
        return await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    private Job<WorkData> claim(String id) {
        Job<WorkData> job = claim().orElseThrow();
        assertThat(job.id()).isEqualTo(id);
        assertThat(claim()).isEmpty();
        return job;
    }

    private void run(String... ids) {
        Stream.of(ids).forEach(id -> await(timed.processor().finish(database, claim(id))));
    }

    private void assertNothingIsLeft() {
        assertThat(claim()).isEmpty();
        assertThat(rows.under("sequences")).isEmpty();
        assertThat(rows.under("sequence_queue")).isEmpty();
    }

    private void fail(String id) {
        await(timed.processor().fail(database, claim(id), new IllegalStateException("no stock")));
    }

    // The order

    @Test
    void jobsRunOneAfterTheOtherInTheOrderOfTheirCommits() {
        addAll("c", "a", "b");

        run("c", "a", "b");

        assertNothingIsLeft();
    }

    @Test
    void prioritiesAndTimesDoNotChangeTheOrder() {
        await(timed.add(database, job("first").at(NOON.plusSeconds(60)).priority(-1)));
        await(timed.add(database, job("second").priority(9)));
        assertThat(claim()).isEmpty();

        clock.advance(Duration.ofSeconds(61));

        run("first", "second");
        assertNothingIsLeft();
    }

    @Test
    void sequencesAndTypesAndJobsWithoutASequenceDoNotWaitForEachOther() {
        addAll("a", "b");
        await(timed.add(database, job("other").sequence("order-18")));
        await(timed.add(database, NewJob.of(INDEX, new WorkData(1)).id("none")));
        await(timed.add(database, NewJob.of(MAIL, new WorkData(1)).id("mail").sequence(ORDER)));

        assertThat(Stream.generate(this::claim)
                        .takeWhile(Optional::isPresent)
                        .map(job -> job.orElseThrow().id())
                        .toList())
                .containsExactlyInAnyOrder("a", "other", "none");
        assertThat(await(timed.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                .isPresent();
    }

    @Test
    void jobsOfOneTransactionAreInTheOrderOfTheCalls() {
        await(timed.addAll(database, List.of(job("c"), job("a"), job("b"))));
        commit(tx -> {
            CompletableFuture<?> first = timed.add(tx, job("z"));
            CompletableFuture<?> second = jobs.add(tx, job("y"));
            await(CompletableFuture.allOf(first, second));
        });

        run("c", "a", "b", "z", "y");
        assertNothingIsLeft();
    }

    @Test
    void aHandlerAddsTheNextJobWithItsEnd() {
        addAll("a", "b");
        Job<WorkData> running = claim("a");
        commit(tx -> {
            CompletableFuture<?> added = timed.add(tx, job("c"));
            CompletableFuture<?> finished = timed.processor().finish(tx, running);
            await(CompletableFuture.allOf(added, finished));
        });

        run("b", "c");
        assertNothingIsLeft();
    }

    @Test
    void workersKeepTheOrderOfManySequences() throws InterruptedException {
        List<NewJob<WorkData>> all = new ArrayList<>();
        for (int number = 0; number < 10; number++) {
            for (int sequence = 0; sequence < 10; sequence++) {
                all.add(NewJob.of(INDEX, new WorkData(number))
                        .id(sequence + "-" + number)
                        .sequence("s" + sequence));
            }
        }
        await(timed.addAll(database, all));
        BlockingQueue<String> run = new LinkedBlockingQueue<>();
        List<Worker> workers = Stream.generate(this::node)
                .limit(3)
                .map(node -> node.worker()
                        .process(WORK, context -> run.add(context.id()))
                        .concurrency(4)
                        .start())
                .toList();
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            order.add(Optional.ofNullable(run.poll(LONG.toSeconds(), TimeUnit.SECONDS))
                    .orElseThrow());
        }
        workers.forEach(Worker::close);
        for (int sequence = 0; sequence < 10; sequence++) {
            String prefix = sequence + "-";
            assertThat(order.stream().filter(id -> id.startsWith(prefix)))
                    .containsExactlyElementsOf(IntStream.range(0, 10)
                            .mapToObj(number -> prefix + number)
                            .toList());
        }
        assertNothingIsLeft();
    }

    // What holds back, and what does not

    @Test
    void aJobThatIsTriedAgainHoldsBackThoseBehindIt() {
        RetryPolicy once = RetryPolicy.standard().attempts(2).backoff(Duration.ofSeconds(5), 1, Duration.ofSeconds(5));
        await(timed.add(database, job("a").retry(once)));
        addAll("b");
        fail("a");
        assertThat(claim()).isEmpty();

        clock.advance(Duration.ofSeconds(20));

        run("a", "b");
    }

    @Test
    void aFailedJobHoldsBackThoseBehindItUntilItSucceeds() {
        await(timed.add(database, job("a").retry(RetryPolicy.never())));
        addAll("b");
        fail("a");
        assertThat(claim()).isEmpty();

        await(timed.deadLetters().retry(database, INDEX, "a"));

        run("a", "b");
        assertNothingIsLeft();
    }

    @Test
    void aFailedJobThatIsRemovedLetsTheNextGo() {
        await(timed.add(database, job("a").retry(RetryPolicy.never())));
        addAll("b");
        fail("a");

        await(timed.remove(database, INDEX, "a"));

        run("b");
        assertNothingIsLeft();
    }

    @Test
    void aFailedJobThatPassesFailureLetsTheNextGo() {
        await(timed.add(
                database,
                NewJob.of(INDEX, new WorkData(1))
                        .id("a")
                        .sequencePassingFailure(ORDER)
                        .retry(RetryPolicy.never())));
        var first = await(timed.getJob(database, INDEX, "a")).orElseThrow();
        assertThat(first.passesFailure()).isTrue();
        assertThat(first.retry()).contains(RetryPolicy.never());
        addAll("b", "c");
        fail("a");
        Job<WorkData> next = claim("b");
        await(timed.deadLetters().retry(database, INDEX, "a"));

        await(timed.processor().finish(database, next));

        run("c", "a");
        assertNothingIsLeft();
    }

    @Test
    void aCancelledOrRemovedJobLetsTheNextGo() {
        addAll("a", "b", "c", "d");
        await(timed.control().cancel(database, INDEX, "b", "no longer needed"));
        await(timed.remove(database, INDEX, "c"));

        await(timed.control().cancel(database, INDEX, "a", "no longer needed"));

        run("d");
        assertNothingIsLeft();
    }

    @Test
    void manyRemovedJobsArePassedOver() {
        int count = 2_000;
        for (int from = 0; from < count; from += 500) {
            await(timed.addAll(
                    database,
                    IntStream.range(from, from + 500)
                            .mapToObj(i -> job("j" + i))
                            .toList()));
        }
        await(timed.control().select(INDEX, job -> job.isBlocked()).remove());
        addAll("last");

        run("j0", "last");
        assertNothingIsLeft();
    }

    @Test
    void aFailedJobThatIsNotKeptLetsTheNextGo() {
        JobType<WorkData, Void> forgetful =
                WORK.retention(Retention.of(Duration.ofDays(1)).failed(Duration.ZERO));
        await(timed.add(
                database,
                NewJob.of(forgetful, new WorkData(1)).id("a").sequence(ORDER).retry(RetryPolicy.never())));
        addAll("b");
        Job<WorkData> running = await(timed.processor().accept(forgetful, AcceptOptions.nonBlocking()))
                .orElseThrow();
        await(timed.processor().fail(database, running, new IllegalStateException("no stock")));

        run("b");
        assertNothingIsLeft();
    }

    @Test
    void anAdditionOfOneJobTwiceKeepsItsPlace() {
        addAll("a", "b", "c");

        await(timed.addAll(database, List.of(job("c").sequence("order-18"), job("c"))));

        run("a", "b", "c");
        assertNothingIsLeft();
    }

    @Test
    void aDeadLetterBehindTheCurrentJobKeepsItsPlaceIfItIsAddedAgain() {
        await(timed.add(database, NewJob.of(MAIL, new WorkData(1)).id("mail").retry(RetryPolicy.never())));
        addAll("a");
        await(timed.add(database, job("b").after(Dependency.on(MAIL, "mail").ifUnsuccessful(DependencyPolicy.FAIL))));
        addAll("c");
        Job<WorkData> mail = await(timed.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow();
        await(timed.processor().fail(database, mail, new IllegalStateException("no paper")));
        assertThat(stateOf("b")).isEqualTo(JobState.FINISHED);

        addAll("b");

        run("a", "b", "c");
        assertNothingIsLeft();
    }

    @Test
    void verbsOfOneTransactionMayMoveAJobThroughSequences() {
        commit(tx -> {
            CompletableFuture<?> first = timed.addAll(tx, List.of(job("x").sequence("order-18")));
            CompletableFuture<?> second = timed.addAll(tx, List.of(job("a"), job("x")));
            await(CompletableFuture.allOf(first, second));
        });

        run("a", "x");
        assertNothingIsLeft();
    }

    @Test
    void aFailedJobThatHoldsBackOthersKeepsItsUniqueKey() {
        NewJob<WorkData> once = job("a").unique(Unique.by("user-7")).retry(RetryPolicy.never());
        await(timed.add(database, once));
        fail("a");

        assertThat(await(timed.add(database, once.id("b"))).jobId()).isEqualTo("a");
        assertThat(await(timed.deadLetters().retry(database, INDEX, "a"))).isTrue();

        run("a");
    }

    @Test
    void aJobThatIsRemovedAndAddedAgainIsBehindTheOthers() {
        addAll("a", "b", "c");
        await(timed.remove(database, INDEX, "b"));
        addAll("b");

        run("a", "c", "b");
        assertNothingIsLeft();
    }

    @Test
    void aPendingJobThatIsAddedAgainKeepsItsPlace() {
        addAll("a", "b", "c");
        await(timed.add(database, NewJob.of(INDEX, new WorkData(7)).id("b").sequence(ORDER)));

        run("a", "b", "c");
        assertThat(stepOf("b")).isEqualTo(7);
        assertNothingIsLeft();
    }

    @Test
    void aPendingJobMayMoveToAnotherSequence() {
        addAll("a", "b", "c");
        await(timed.add(database, job("x").sequence("order-18")));
        await(timed.add(database, job("a").sequence("order-18")));

        Job<WorkData> one = claim().orElseThrow();
        Job<WorkData> other = claim().orElseThrow();
        assertThat(List.of(one.id(), other.id())).containsExactlyInAnyOrder("b", "x");
        assertThat(claim()).isEmpty();
        await(timed.processor().finish(database, one));
        await(timed.processor().finish(database, other));
        Job<WorkData> third = claim().orElseThrow();
        Job<WorkData> fourth = claim().orElseThrow();
        assertThat(List.of(third.id(), fourth.id())).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void aDependencyHoldsBackTheWholeSequence() {
        await(timed.add(database, NewJob.of(MAIL, new WorkData(1)).id("mail")));
        await(timed.add(database, job("a").after(Dependency.on(MAIL, "mail"))));
        addAll("b");
        assertThat(claim()).isEmpty();

        await(timed.processor()
                .finish(
                        database,
                        await(timed.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                                .orElseThrow()));

        run("a", "b");
    }

    @Test
    void aJobHasALimitKeyAndATurnKeyToo() {
        await(timed.limits().set(database, INDEX, "tenant", 1));
        await(timed.add(database, job("a").limitKey("tenant").turnKey("tenant")));
        await(timed.add(database, job("b").limitKey("tenant").turnKey("tenant")));
        await(timed.add(database, NewJob.of(INDEX, new WorkData(1)).id("c").limitKey("tenant")));

        run("a");
        Job<WorkData> second = claim().orElseThrow();
        await(timed.processor().finish(database, second));
        Job<WorkData> third = claim().orElseThrow();
        assertThat(List.of(second.id(), third.id())).containsExactlyInAnyOrder("b", "c");
    }

    @Test
    void aJobThatRunsOnceMoreStaysTheCurrentOne() {
        addAll("a", "b");
        Job<WorkData> running = claim("a");
        await(timed.processor().resubmit(database, running));
        await(timed.processor().finish(database, running));

        run("a", "b");
        assertNothingIsLeft();
    }

    // What is seen

    @Test
    void aJobThatIsHeldBackIsBlocked() {
        addAll("a", "b");

        JobInfo<WorkData, ?> held = await(timed.getJob(database, INDEX, "b")).orElseThrow();

        assertThat(held.isBlocked()).isTrue();
        assertThat(held.state()).isEqualTo(JobState.PENDING);
        assertThat(held.sequence()).contains(ORDER);
        assertThat(await(timed.counts(database, INDEX)).blocked()).isEqualTo(1);
        run("a");
        assertThat(await(timed.counts(database, INDEX)).blocked()).isZero();
    }

    @Test
    void aCurrentJobWhoseRowIsDamagedLetsTheNextGoAtTheNextAddition() {
        addAll("a", "b");
        rows.putBytes(rows.key("data", INDEX.name(), "a"), new byte[] {1, 2, 3});

        addAll("c");

        run("b", "c");
    }

    @Test
    void aDamagedRowOfASequenceIsRestored() {
        addAll("a", "b", "c");
        rows.putBytes(rows.key("sequences", INDEX.name(), ORDER), new byte[] {1, 2, 3});
        addAll("d");
        Job<WorkData> first = claim("a");
        rows.putBytes(rows.key("sequences", INDEX.name(), ORDER), new byte[] {1, 2, 3});
        await(timed.processor().finish(database, first));

        run("b", "c", "d");
        assertNothingIsLeft();
    }

    @Test
    void theFirstJobInASequenceRaisesTheLayout() {
        addAll("a");
        assertThat(rows.value("layout")).containsExactly(12L, 7L, 12L, "", "", "", 1L << 7);
    }

    // Errors

    @Test
    void whatIsInvalidIsRefused() {
        assertThatThrownBy(() -> job("a").sequence(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sequence");
        assertThatThrownBy(() -> job("a").sequencePassingFailure("x".repeat(20_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("20000");
    }
}
