package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Feature E1: higher priorities first, and the oldest first within one. */
class PriorityContract extends JobsContract {
    private SettableClock clock;
    private StoredRows rows;
    private CouchJobs node;

    @BeforeEach
    void openNode() {
        rows = new StoredRows(database, prefix);
        clock = new SettableClock(NOON);
        node = node(clock);
    }

    private static NewJob<WorkData> job(String id, int priority) {
        return NewJob.of(INDEX, new WorkData(1)).id(id).priority(priority);
    }

    private void addWith(String id, int priority) {
        await(node.add(database, job(id, priority)));
        clock.advance(Duration.ofMillis(1));
    }

    private Optional<Job<WorkData>> take(AcceptOptions options) {
        return await(node.processor().accept(INDEX, options.timeout(Duration.ZERO)));
    }

    /** The ids of all that may run, in the order in which they are taken one by one. */
    private List<String> order() {
        return order(AcceptOptions.defaults());
    }

    private List<String> order(AcceptOptions options) {
        return Stream.generate(() -> take(options))
                .takeWhile(Optional::isPresent)
                .map(job -> job.orElseThrow().id())
                .toList();
    }

    /** The ids of jobs that are taken by one transaction. */
    private List<String> together(int count, AcceptOptions options) {
        List<CompletableFuture<Optional<Job<WorkData>>>> calls = IntStream.range(0, count)
                .mapToObj(i -> node.processor().accept(INDEX, options))
                .toList();
        return calls.stream().map(call -> await(call).orElseThrow().id()).toList();
    }

    @Test
    void higherPrioritiesComeFirstAndThoseBelowZeroLast() {
        addWith("none", 0);
        addWith("lowest", Integer.MIN_VALUE);
        addWith("low", -1);
        addWith("high", 1);
        addWith("highest", Integer.MAX_VALUE);
        add("plain", 1);

        assertThat(order()).containsExactly("highest", "high", "none", "plain", "low", "lowest");
    }

    @Test
    void theOldestComesFirstWithinAPriorityWhateverItsId() {
        addWith("c", 5);
        addWith("a", 5);
        addWith("b", 5);

        assertThat(order()).containsExactly("c", "a", "b");
    }

    @Test
    void aJobThatIsAddedAgainWithAnotherPriorityMoves() {
        addWith("a", 1);
        addWith("b", 2);
        addWith("c", 3);

        addWith("a", 4);
        addWith("c", 0);

        assertThat(rows.under("ranked", "index")).hasSize(2);
        assertThat(rows.under("pending", "index")).containsExactly(Tuple.from(0, "c"));
        assertThat(order()).containsExactly("a", "b", "c");
    }

    @Test
    void aJobThatIsAddedAgainWithOtherDataKeepsItsPlace() {
        addWith("a", 1);
        addWith("b", 1);

        await(node.add(database, NewJob.of(INDEX, new WorkData(2)).id("a").priority(1)));

        assertThat(order()).containsExactly("a", "b");
    }

    @Test
    void addingAPendingJobAsItIsWithItsPriorityLeavesTheTransactionReadOnly() {
        addWith("a", 7);

        try (var tx = database.createTransaction()) {
            await(node.add(tx, job("a", 7)));
            await(tx.commit());
            assertThat(tx.getCommittedVersion()).isEqualTo(-1);
        }
    }

    @Test
    void aRunningJobThatIsAddedWithAPriorityHasItWhenItRunsAgain() {
        Job<WorkData> running = accepted("a", 1);
        addWith("b", 3);
        addWith("a", 4);

        await(node.processor().finish(database, running));

        assertThat(order()).containsExactly("a", "b");
    }

    @Test
    void aJobWithAPriorityWaitsForItsScheduledTime() {
        await(node.add(database, job("later", 9).at(NOON.plusSeconds(60))));
        addWith("now", 1);

        assertThat(order()).containsExactly("now");
        clock.advance(Duration.ofSeconds(60));
        assertThat(order()).containsExactly("later");
    }

    @Test
    void anAcceptThatWaitsTakesAJobWithAPriorityWhenItsTimeHasCome() {
        Instant soon = Instant.now().plusMillis(300);
        await(jobs.add(database, job("soon", 3).at(soon)));

        Job<WorkData> job = await(jobs.processor().accept(INDEX)).orElseThrow();

        assertThat(job.id()).isEqualTo("soon");
        assertThat(Instant.now()).isAfterOrEqualTo(soon);
    }

    @Test
    void jobsThatHaveBecomeDueAreInTheOrderOfPrioritiesWithTheOthers() {
        await(node.add(database, job("due 2", 2).at(NOON.plusSeconds(1))));
        await(node.add(database, job("due 5", 5).at(NOON.plusSeconds(2))));
        clock.advance(Duration.ofMillis(1_500));
        addWith("since 2", 2);
        addWith("since 3", 3);
        clock.advance(Duration.ofSeconds(5));

        assertThat(order()).containsExactly("due 5", "since 3", "due 2", "since 2");
    }

    @Test
    void aJobCanBeTakenBeforeItsTimeAndThoseOfLaterTimesAreLeft() {
        await(node.add(database, job("at 1", 1).at(NOON.plusSeconds(60))));
        await(node.add(database, job("at 2", 2).at(NOON.plusSeconds(120))));

        assertThat(order(AcceptOptions.defaults().maxSchedTime(NOON.plusSeconds(60))))
                .containsExactly("at 1");
    }

    @Test
    void noScheduleTakesOnlyThoseWithoutAScheduledTimeHoweverManyAreDue() {
        List<NewJob<WorkData>> due = IntStream.range(0, 300)
                .mapToObj(i -> job("due " + i, 1 + i % 3).at(NOON.minusSeconds(1)))
                .toList();
        await(node.addAll(database, due));
        addWith("b", 0);
        addWith("a", 2);
        addWith("c", -2);
        together(150, AcceptOptions.defaults()); // moves some of them on the way

        assertThat(order(AcceptOptions.defaults().noSchedule())).containsExactly("a", "b", "c");
    }

    @Test
    void manyJobsThatBecomeDueTogetherAllRunTheHighestFirstOnceTheyAreKnown() {
        List<NewJob<WorkData>> due = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            due.add(job("low " + i, 1).at(NOON.plusSeconds(1 + i % 20)));
        }
        due.add(job("high", 9).at(NOON.plusSeconds(30)));
        await(node.addAll(database, due));
        clock.advance(Duration.ofSeconds(60));

        List<String> order = order();

        assertThat(order).hasSize(401).doesNotHaveDuplicates();
        assertThat(order.indexOf("high")).isLessThan(20);
        assertThat(rows.under("ranked", "index")).isEmpty();
    }

    @Test
    void aBatchIsTakenStrictlyByPriority() {
        for (int i = 0; i < 30; i++) {
            addWith("j" + i, 15 - i);
        }

        assertThat(together(20, AcceptOptions.defaults()))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 20).mapToObj(i -> "j" + i).toList());
    }

    @Test
    void aJobOfAHighPriorityGoesBeforeAnyBacklog() {
        addMany(2_000);
        for (int i = 0; i < 500; i++) {
            addWith("r" + i, 1);
        }
        addWith("urgent", 2);

        assertThat(accept().id()).isEqualTo("urgent");
    }

    @Test
    void aJobWhoseProcessorFellSilentKeepsItsPlace() {
        addWith("a", 5);
        addWith("b", 5);
        var followed = subscribe("a");
        assertThat(accept().id()).isEqualTo("a"); // and is not heard of again

        await(followed.awaitEvent(JobState.RUNNING, LONG));
        awaitSilence(INDEX, List.of(followed));

        assertThat(order()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5})
    void aReserveLetsEveryPriorityHaveItsTurnHoweverManyComeFirst(double share) {
        for (int i = 0; i < 200; i++) {
            await(node.add(database, job("high " + i, 100)));
        }
        addWith("middle", 7);
        addWith("plain", 0);
        addWith("low", -7);
        addWith("lowest", -1_000);

        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            taken.addAll(together(20, AcceptOptions.defaults().lowPriorityShare(share)));
        }

        assertThat(taken).contains("middle", "plain", "low", "lowest");
        assertThat(taken.stream().filter(id -> id.startsWith("high")).count())
                .isGreaterThanOrEqualTo((long) (180 * (1 - share)));
    }

    @Test
    void withoutAReserveTheOrderIsStrict() {
        for (int i = 0; i < 100; i++) {
            await(node.add(database, job("high " + i, 1)));
        }
        addWith("low", -1);

        assertThat(together(100, AcceptOptions.defaults())).doesNotContain("low");
    }

    @Test
    void aReserveOfAllIsTakenByTurnsAlsoOneByOne() {
        for (int i = 0; i < 3; i++) {
            addWith("c" + i, 1);
            addWith("b" + i, 0);
            addWith("a" + i, -1);
        }

        assertThat(order(AcceptOptions.defaults().lowPriorityShare(1)))
                .containsExactly("c0", "b0", "a0", "c1", "b1", "a1", "c2", "b2", "a2");
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY})
    void aReserveIsAPart(double share) {
        assertThatThrownBy(() -> AcceptOptions.defaults().lowPriorityShare(share))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("from 0 to 1");
    }

    @Test
    void jobsWithPrioritiesLeaveNothingWhenTheyAreRemoved() {
        addWith("a", 1);
        await(node.add(database, job("b", -1).at(NOON.plusSeconds(60))));

        await(node.remove(database, INDEX, "a"));
        await(node.remove(database, INDEX, "b"));

        assertThat(rows.under("ranked")).isEmpty();
        assertThat(rows.under("data")).isEmpty();
    }

    @Test
    void aRankedRowThatItsJobDoesNotBearOutIsClearedAndTheNextJobTaken() {
        rows.put(Tuple.from(), "ranked", "index", 0, -9, 0, 0, "a ghost");
        rows.put(Tuple.from(), "ranked", "index", 1, 5, -9, "another");
        addWith("a", 1);

        assertThat(order()).containsExactly("a");
        assertThat(rows.under("ranked", "index")).isEmpty();
    }

    @Test
    void manyAcceptorsTakeEveryJobWithAPriorityOnce() {
        List<NewJob<WorkData>> all =
                IntStream.range(0, 200).mapToObj(i -> job("j" + i, i % 5 - 2)).toList();
        await(jobs.addAll(database, all));
        List<CouchJobs> nodes = IntStream.range(0, 4).mapToObj(i -> node()).toList();

        List<CompletableFuture<Optional<Job<WorkData>>>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            calls.add(nodes.get(i % 4).processor().accept(INDEX));
        }

        assertThat(calls.stream().map(call -> await(call).orElseThrow().id()))
                .hasSize(200)
                .doesNotHaveDuplicates();
    }
}
