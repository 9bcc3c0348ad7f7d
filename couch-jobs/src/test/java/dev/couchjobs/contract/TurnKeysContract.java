package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Turn keys: the keys of a type with due jobs take turns, each with as many jobs as its weight. */
class TurnKeysContract extends JobsContract {
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

    private static NewJob<WorkData> job(String key, int number) {
        return NewJob.of(INDEX, new WorkData(number)).id(key + "-" + number).turnKey(key);
    }

    private void add(NewJob<WorkData> job) {
        await(timed.add(database, job));
        clock.advance(Duration.ofMillis(1));
    }

    private void addAll(String key, int count) {
        IntStream.range(0, count).forEach(number -> add(job(key, number)));
    }

    private Optional<Job<WorkData>> claim() {
        return await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    private List<String> claimedIds(int count) {
        return Stream.generate(this::claim)
                .limit(count)
                .flatMap(Optional::stream)
                .map(Job::id)
                .toList();
    }

    private List<Tuple> turnRows() {
        return Stream.of("turns", "in_turn", "turn_requests")
                .flatMap(kind -> rows.under(kind, INDEX.name()).stream())
                .toList();
    }

    // Turns

    @Test
    void keysTakeTurns() {
        addAll("big", 20);
        addAll("small", 3);

        assertThat(claimedIds(8))
                .containsExactly("big-0", "small-0", "big-1", "small-1", "big-2", "small-2", "big-3", "big-4");
    }

    @Test
    void aKeyThatComesLaterWaitsForOneRoundAtMost() {
        addAll("a", 10);
        addAll("b", 10);
        assertThat(claimedIds(3)).containsExactly("a-0", "b-0", "a-1");

        addAll("new", 2);

        assertThat(claimedIds(6)).containsExactly("b-1", "a-2", "new-0", "b-2", "a-3", "new-1");
    }

    @Test
    void aKeyStartsAsManyJobsInATurnAsItsWeight() {
        await(timed.limits().setWeight(database, INDEX, "big", 3));
        addAll("big", 20);
        addAll("small", 3);

        assertThat(claimedIds(9))
                .containsExactly("big-0", "big-1", "big-2", "small-0", "big-3", "big-4", "big-5", "small-1", "big-6");
        await(timed.limits().clearWeight(database, INDEX, "big"));
        assertThat(claimedIds(3)).containsExactly("big-7", "small-2", "big-8");
        assertThat(await(timed.limits().getWeight(database, INDEX, "big"))).isEqualTo(1);
    }

    @Test
    void prioritiesCountWithinAKey() {
        addAll("a", 3);
        add(job("b", 0));
        add(job("b", 1).priority(9));
        add(job("a", 7).priority(5));

        assertThat(claimedIds(6)).containsExactly("b-1", "a-7", "b-0", "a-0", "a-1", "a-2");
    }

    @Test
    void oneClaimOfManyJobsGoesRoundByRound() throws InterruptedException {
        addAll("big", 50);
        addAll("small", 2);
        BlockingQueue<String> started = new LinkedBlockingQueue<>();
        CountDownLatch gate = new CountDownLatch(1);
        Worker worker = timed.worker()
                .process(WORK, context -> {
                    started.add(context.id());
                    gate.await();
                })
                .concurrency(20)
                .start();
        List<String> first = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            first.add(next(started));
        }
        assertThat(first).contains("small-0", "small-1");
        gate.countDown();
        worker.close();
    }

    private static String next(BlockingQueue<String> started) throws InterruptedException {
        return Optional.ofNullable(started.poll(LONG.toSeconds(), TimeUnit.SECONDS))
                .orElseThrow();
    }

    @Test
    void jobsWithoutATurnKeyStartLikeThoseOfOneMoreKey() {
        addAll("a", 60);
        IntStream.range(0, 60).forEach(number -> add(NewJob.of(INDEX, new WorkData(number))));

        List<String> ids = claimedIds(60);

        assertThat(ids).filteredOn(id -> id.startsWith("a-")).hasSizeBetween(5, 55);
        assertThat(claimedIds(70)).hasSize(60);
    }

    @Test
    void jobsWithoutATurnKeyTakeTheShareOfOneOfManyKeys() {
        for (int key = 0; key < 20; key++) {
            addTogether("key-" + key, 10);
        }
        await(timed.addAll(
                database,
                IntStream.range(0, 200)
                        .mapToObj(
                                number -> NewJob.of(INDEX, new WorkData(number)).id("none-" + number))
                        .toList()));

        // 5 on average, since there are 21 shares
        assertThat(claimedIds(105)).filteredOn(id -> id.startsWith("none-")).hasSizeBetween(0, 30);
    }

    private void addTogether(String key, int count) {
        await(timed.addAll(
                database,
                IntStream.range(0, count).mapToObj(number -> job(key, number)).toList()));
    }

    @Test
    void aKeyGetsItsTurnBesideAdditionsToManyOthers() {
        List<NewJob<WorkData>> stream = IntStream.range(0, 101)
                .mapToObj(key -> NewJob.of(INDEX, new WorkData(key)).turnKey("key-" + (100 + key)))
                .toList();
        await(timed.addAll(database, stream));
        await(timed.add(database, job("last", 0)));
        List<String> started = new ArrayList<>();
        while (started.size() < 120 && !started.contains("last-0")) {
            await(timed.addAll(database, stream.subList(0, 100)));
            started.addAll(claimedIds(1));
        }

        assertThat(started).contains("last-0");
    }

    @Test
    void manyAcceptsAtOnceFindJobsWithAndWithoutATurnKey() {
        addAll("a", 4);
        assertThat(claimedIds(1)).containsExactly("a-0");
        IntStream.range(0, 60).forEach(number -> await(timed.add(database, NewJob.of(INDEX, new WorkData(number)))));

        List<CompletableFuture<Optional<Job<WorkData>>>> accepts = IntStream.range(0, 30)
                .mapToObj(i -> timed.processor().accept(INDEX, AcceptOptions.nonBlocking()))
                .toList();

        assertThat(accepts).allSatisfy(accept -> assertThat(await(accept)).isPresent());
    }

    @Test
    void aSuspectHoldsBackItsKeyUntilItRunsAlone() throws InterruptedException {
        addTogether("a", 1);
        CouchJobs dying = node();
        await(dying.processor().accept(INDEX, AcceptOptions.nonBlocking()));
        dying.close();
        awaitSilence(INDEX, List.of(subscribe("a-0")));
        addTogether("x", 200);
        for (int number = 1; number < 200; number++) {
            await(timed.add(database, job("a", number)));
        }
        BlockingQueue<JobState> suspectStates = new LinkedBlockingQueue<>();
        CountDownLatch ran = new CountDownLatch(400);
        Worker worker = timed.worker()
                .process(WORK, context -> {
                    if (context.id().startsWith("a-")) {
                        suspectStates.add(await(timed.getJobState(database, INDEX, "a-0")));
                    }
                    ran.countDown();
                })
                .concurrency(8)
                .start();
        Futures.await(ran);
        worker.close();

        assertThat(suspectStates).hasSize(200).doesNotContain(JobState.PENDING);
    }

    // What changes a turn

    @Test
    void aScheduledJobTakesItsTurnOnceItIsDue() {
        add(job("a", 0).at(NOON.plusSeconds(60)));
        add(job("a", 1));
        assertThat(claimedIds(2)).containsExactly("a-1");
        assertThat(turnRows()).isEmpty();

        clock.advance(Duration.ofSeconds(61));

        assertThat(claimedIds(3)).containsExactly("a-0");
    }

    @Test
    void noJobRunsBeforeItsTime() {
        IntStream.range(0, 5).forEach(number -> add(job("a", number).at(NOON.plusSeconds(1_800))));
        assertThat(claim()).isEmpty();

        var unused = await(
                timed.processor().accept(INDEX, AcceptOptions.nonBlocking().maxSchedTime(NOON.plusSeconds(3_600))));

        assertThat(claim()).isEmpty();
    }

    @Test
    void aDueJobOfALowPriorityTakesItsTurnBesideOthersWithoutAKey() {
        add(job("small", 0).priority(-5).at(NOON.plusSeconds(1)));
        await(timed.addAll(
                database,
                IntStream.range(0, 100)
                        .mapToObj(
                                number -> NewJob.of(INDEX, new WorkData(number)).id("none-" + number))
                        .toList()));
        clock.advance(Duration.ofSeconds(10));

        assertThat(claimedIds(60)).contains("small-0");
    }

    @Test
    void criteriaThatOnlySomeJobsMeetFindThemBehindOtherKeys() {
        add(job("a", 0).at(NOON.plusSeconds(1)));
        add(job("b", 0));
        clock.advance(Duration.ofSeconds(5));
        assertThat(claimedIds(1)).containsExactly("b-0");
        add(job("b", 1));

        assertThat(await(timed.processor()
                        .accept(INDEX, AcceptOptions.nonBlocking().noSchedule())))
                .map(Job::id)
                .contains("b-1");
    }

    @Test
    void theTurnsOfCancelledJobsEndTogether() {
        await(timed.addAll(
                database,
                IntStream.range(0, 300).mapToObj(key -> job("key-" + key, 0)).toList()));
        assertThat(claim()).isPresent();
        await(timed.control().select(INDEX, job -> true).cancel("no longer needed"));
        add(job("new", 0));

        assertThat(claimedIds(1)).containsExactly("new-0");
    }

    @Test
    void aDamagedWeightIsOne() {
        await(timed.limits().setWeight(database, INDEX, "a", 2));
        addAll("a", 3);
        addAll("b", 3);
        for (Tuple damaged : List.of(Tuple.from(0), Tuple.from(-7), Tuple.from("two"))) {
            rows.put(damaged, "weights", INDEX.name(), "a");
            assertThat(claimedIds(2)).extracting(id -> id.substring(0, 1)).containsExactly("a", "b");
        }
    }

    @Test
    void aJobThatIsRemovedOrMovedTakesNoTurn() {
        addAll("a", 3);
        addAll("b", 1);
        await(timed.remove(database, INDEX, "a-0"));
        await(timed.control().cancel(database, INDEX, "a-1", "no longer needed"));
        await(timed.control().reschedule(database, INDEX, "a-2", NOON.plusSeconds(600)));

        assertThat(claimedIds(3)).containsExactly("b-0");
        assertThat(turnRows()).isEmpty();
    }

    @Test
    void aReplacedJobWaitsWithItsNewKey() {
        addAll("a", 2);
        add(job("a", 0).turnKey("b"));

        assertThat(claimedIds(3)).containsExactly("a-1", "a-0");
        assertThat(turnRows()).isEmpty();
    }

    @Test
    void aJobThatRunsAgainTakesAnotherTurn() {
        addAll("a", 2);
        addAll("b", 2);
        Job<WorkData> first = claim().orElseThrow();
        await(timed.processor().snooze(database, first, Duration.ofSeconds(1)));
        clock.advance(Duration.ofSeconds(2));

        assertThat(claimedIds(5)).containsExactly("b-0", "a-1", "b-1", "a-0");
        assertThat(turnRows()).isEmpty();
    }

    @Test
    void jobsThatOneTransactionAddsGetOneTurn() {
        commit(tx -> {
            CompletableFuture<?> first = timed.add(tx, job("a", 0));
            CompletableFuture<?> second = jobs.add(tx, job("a", 1));
            await(CompletableFuture.allOf(first, second));
        });

        assertThat(rows.under("turn_requests")).hasSize(1);
        assertThat(claimedIds(3)).hasSize(2);
        assertThat(turnRows()).isEmpty();
    }

    @Test
    void aJobWithALimitKeyTakesTurnsOnceItHasASlot() {
        await(timed.limits().set(database, INDEX, "big", 2));
        IntStream.range(0, 5).forEach(number -> add(job("big", number).limitKey("big")));
        addAll("small", 4);

        List<Job<WorkData>> running =
                Stream.generate(this::claim).limit(6).flatMap(Optional::stream).toList();

        assertThat(running)
                .extracting(Job::id)
                .containsExactly("small-0", "big-0", "small-1", "big-1", "small-2", "small-3");
        assertThat(claim()).isEmpty();
        await(timed.processor().finish(database, running.get(1)));
        assertThat(claimedIds(2)).containsExactly("big-2");
    }

    @Test
    void jobsWithManyKeysRunOnSeveralNodes() throws InterruptedException {
        List<CouchJobs> nodes = List.of(node(), node(), node());
        for (int key = 0; key < 40; key++) {
            List<NewJob<WorkData>> batch = new ArrayList<>();
            for (int number = 0; number < 5; number++) {
                batch.add(job("key-" + key, number));
            }
            await(jobs.addAll(database, batch));
        }
        BlockingQueue<String> run = new LinkedBlockingQueue<>();
        List<Worker> workers = nodes.stream()
                .map(node -> node.worker()
                        .process(WORK, context -> run.add(context.id()))
                        .concurrency(5)
                        .start())
                .toList();
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            assertThat(ids.add(next(run))).isTrue();
        }
        workers.forEach(Worker::close);
        assertThat(run).isEmpty();
    }

    // What is seen

    @Test
    void aJobTellsItsTurnKeyAndIsListed() {
        addAll("a", 1);
        assertThat(await(timed.getJob(database, INDEX, "a-0")).orElseThrow().turnKey())
                .contains("a");
        assertThat(await(timed.list(database, INDEX, JobState.PENDING, PageRequest.of(10)))
                        .items())
                .extracting(JobSummary::jobId)
                .containsExactly("a-0");
    }

    // Errors

    @Test
    void whatIsInvalidIsRefused() {
        assertThatThrownBy(() -> job("", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("turn key");
        assertThatThrownBy(() -> job("a", 0).turnKey("x".repeat(20_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("20000");
        assertThatThrownBy(() -> timed.limits().setWeight(database, INDEX, "a", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1");
        assertThatThrownBy(() -> timed.limits().setWeight(database, INDEX, "a", 1_001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 1000");
    }
}
