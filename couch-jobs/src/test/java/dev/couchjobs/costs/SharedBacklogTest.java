package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.MAIL;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What it costs that many processes take jobs out of one backlog, and in which order they come to take them. */
class SharedBacklogTest {
    private static final int BACKLOG = 4_000;
    private static final int ADDED_AT_ONCE = 500;
    private static final Duration BETWEEN_DUE_JOBS = Duration.ofMillis(2);

    private final MeasuredStage stage = new MeasuredStage(20, MAIL);
    private final List<String> begun = new ArrayList<>();

    @AfterEach
    void close() {
        stage.close();
    }

    private void add(int from, int to) {
        for (int first = from; first < to; first += ADDED_AT_ONCE) {
            stage.await(stage.others()
                    .addAll(
                            stage.database(),
                            IntStream.range(first, Math.min(to, first + ADDED_AT_ONCE))
                                    .mapToObj(number ->
                                            NewJob.of(MAIL, CostFixture.DATA).id(CostFixture.id(number)))
                                    .toList()));
        }
    }

    /** A process of its own, whose transactions are measured. */
    private Worker process() {
        return instance()
                .worker()
                .handleAsync(MAIL, job -> {
                    begun.add(job.id());
                    return CompletableFuture.completedFuture("sent");
                })
                .executor(stage.time())
                .concurrency(100)
                .start();
    }

    private CouchJobs instance() {
        return stage.builder(stage.measured()).build();
    }

    private List<CouchJobs> instances(int count) {
        return IntStream.range(0, count).mapToObj(i -> instance()).toList();
    }

    /** Asks for the next job whenever one is finished. */
    private void takesOneByOne(CouchJobs process, AcceptOptions options) {
        var unused = process.processor()
                .accept(MAIL, options)
                .thenCompose(job -> {
                    begun.add(job.orElseThrow().id());
                    return stage.measured().runAsync(tx -> process.processor().finish(tx, job.orElseThrow()));
                })
                .thenAccept(finished -> {
                    if (begun.size() < BACKLOG) {
                        takesOneByOne(process, options);
                    }
                });
    }

    /** Tries of claims, whether they found jobs or not. */
    private List<Cost> looks() {
        return stage.tries().stream()
                .map(MeasuredTry::cost)
                .filter(cost -> cost.readFrom().contains("pending"))
                .toList();
    }

    private int keysRead() {
        return looks().stream().mapToInt(Cost::keysRead).sum();
    }

    private void passUntilBegun(int count) {
        passUntilBegun(count, 60_000);
    }

    private void passUntilBegun(int count, int mostMillis) {
        for (int millis = 0; begun.size() < count; millis++) {
            assertThat(millis).as("milliseconds until %d have begun", count).isLessThan(mostMillis);
            stage.time().advance(Duration.ofMillis(1));
        }
    }

    /** {@return how often they tried to claim some of them} */
    private long claimsToRunAll(int processes) {
        stage.forget();
        begun.clear();
        int jobs = 2 * BACKLOG; // the others find their places once, however many jobs there are
        add(0, jobs);
        List<Worker> workers =
                IntStream.range(0, processes).mapToObj(i -> process()).toList();
        passUntilBegun(jobs);
        workers.forEach(worker -> stage.await(worker.closeAsync()));
        assertThat(begun).doesNotHaveDuplicates();
        return stage.tries().stream()
                .filter(each -> each.cost().writtenTo().contains("pending"))
                .count();
    }

    @Test
    void manyProcessesSeldomGetInEachOthersWay() {
        long alone = claimsToRunAll(1);
        assertThat(claimsToRunAll(4)).isLessThan(alone * 2);
        assertThat(claimsToRunAll(16)).isLessThan(alone * 5 / 2);
    }

    @Test
    void whoTakesJobsOneByOneReadsLittleForEach() {
        add(0, BACKLOG);
        instances(32).forEach(process -> takesOneByOne(process, AcceptOptions.defaults()));
        passUntilBegun(BACKLOG);
        assertThat(begun).doesNotHaveDuplicates();
        assertThat(looks().size()).as("tries").isLessThan(BACKLOG * 3 / 2);
        assertThat(keysRead()).as("keys read by them").isLessThan(BACKLOG * 50);
    }

    /** All want the few that are due as well, so that not all claims can be had without conflicts. */
    @Test
    void aFewJobsThatBecomeDueBesideABacklogHardlyKeepItFromBeingRun() {
        add(0, BACKLOG);
        List<Worker> workers = IntStream.range(0, 8).mapToObj(i -> process()).toList();
        Duration passed = Duration.ZERO;
        for (int due = 0; begun.size() < BACKLOG; due++) {
            stage.await(stage.others()
                    .add(
                            stage.database(),
                            NewJob.of(MAIL, CostFixture.DATA).id("due-" + due).at(Instant.ofEpochSecond(1))));
            stage.time().advance(BETWEEN_DUE_JOBS);
            passed = passed.plus(BETWEEN_DUE_JOBS);
        }
        workers.forEach(worker -> stage.await(worker.closeAsync()));

        assertThat(begun).doesNotHaveDuplicates();
        assertThat(passed).isLessThan(Duration.ofMillis(120));
        assertThat(keysRead()).as("keys read by those who claim").isLessThan(BACKLOG * 6);
    }

    /** What is taken from anywhere is not scarce: it is no reason to stay where the others are. */
    @Test
    void whoeverTakesJobsFromAnywhereKeepsNobodyFromGoingOn() {
        add(0, BACKLOG);
        for (CouchJobs process : instances(8)) {
            for (int i = 0; i < 10; i++) {
                takesOneByOne(process, AcceptOptions.defaults());
                takesOneByOne(process, AcceptOptions.defaults().noSchedule());
            }
        }
        passUntilBegun(BACKLOG * 3 / 4, 400);
        assertThat(begun).doesNotHaveDuplicates();
    }

    /** Nor is what has a priority, where there is a lot of it. */
    @Test
    void aBacklogOfUrgentJobsLeavesTheOthersWhatIsReservedForThem() {
        add(0, BACKLOG / 4);
        for (int from = 0; from < BACKLOG; from += ADDED_AT_ONCE) {
            stage.await(stage.others()
                    .addAll(
                            stage.database(),
                            IntStream.range(from, from + ADDED_AT_ONCE)
                                    .mapToObj(number -> NewJob.of(MAIL, CostFixture.DATA)
                                            .id("urgent-" + number)
                                            .priority(5))
                                    .toList()));
        }
        for (CouchJobs process : instances(8)) {
            for (int i = 0; i < 10; i++) {
                takesOneByOne(process, AcceptOptions.defaults().lowPriorityShare(0.2));
            }
        }
        passUntilBegun(BACKLOG * 3 / 4, 425);
        assertThat(begun).doesNotHaveDuplicates();
        assertThat(begun.stream().filter(id -> !id.startsWith("urgent")).count())
                .as("jobs without a priority")
                .isGreaterThan(BACKLOG / 12);
    }

    @Test
    void whatOthersHaveLeftBehindIsTakenThoughThereIsAlwaysMoreAhead() {
        add(0, BACKLOG);
        Worker stays = process();
        List<Worker> leave = List.of(process(), process(), process());
        passUntilBegun(BACKLOG / 4);
        leave.forEach(worker -> stage.await(worker.closeAsync()));
        int added = BACKLOG;
        while (begun.size() < 2 * BACKLOG) {
            add(added, added += ADDED_AT_ONCE);
            stage.time().advance(Duration.ofMillis(5));
        }
        stage.await(stays.closeAsync());

        Set<String> old = IntStream.range(0, BACKLOG).mapToObj(CostFixture::id).collect(toSet());
        assertThat(added).as("jobs that were there to be taken").isGreaterThan(begun.size() + BACKLOG);
        assertThat(begun).containsAll(old);
    }
}
