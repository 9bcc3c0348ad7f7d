package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobType;
import dev.couchjobs.LimitInfo;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Rate;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rate of a limit key: how many of its jobs start in a period. All others run, and nothing is lost. */
class KeyRatesContract extends JobsContract {
    private static final String KEY = "tenant-7";
    private static final String OTHER = "tenant-8";
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);
    private static final Duration MONTH = Duration.ofDays(31);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long VERSIONS_PER_MILLI = 1_000;

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
        return NewJob.of(INDEX, new WorkData(1)).id(id).limitKey(KEY);
    }

    private static NewJob<WorkData> other(String id) {
        return job(id).limitKey(OTHER);
    }

    private static NewJob<WorkData> plain(String id) {
        return NewJob.of(INDEX, new WorkData(1)).id(id);
    }

    private void add(NewJob<WorkData> job) {
        await(timed.add(database, job));
        clock.advance(Duration.ofMillis(1));
    }

    private void addAll(String... ids) {
        Stream.of(ids).forEach(id -> add(job(id)));
    }

    private void addJobs(int count) {
        await(timed.addAll(
                database,
                IntStream.range(0, count).mapToObj(i -> job("job-" + i)).toList()));
    }

    private void rate(Rate rate) {
        await(timed.limits().setRate(database, INDEX, KEY, rate));
    }

    private void clearRate() {
        await(timed.limits().clearRate(database, INDEX, KEY));
    }

    private LimitInfo info() {
        return await(timed.limits().get(database, INDEX, KEY));
    }

    private Optional<Job<WorkData>> claim() {
        return await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    private List<Job<WorkData>> claimAll() {
        return Stream.generate(this::claim)
                .takeWhile(Optional::isPresent)
                .map(Optional::orElseThrow)
                .toList();
    }

    private List<String> claimedIds() {
        return claimAll().stream().map(Job::id).toList();
    }

    private void finish(Job<?> job) {
        await(timed.processor().finish(database, job));
    }

    private long version() {
        return await(database.runAsync(Transaction::getReadVersion));
    }

    // How many start

    @Test
    void noMoreJobsOfAKeyStartInAWindowThanItsRateSaysAndAllOthersDo() {
        rate(Rate.perWindow(2, MONTH));
        addAll("a", "b", "c", "d");
        add(other("e"));
        add(plain("f"));

        List<Job<WorkData>> started = claimAll();

        assertThat(started.stream().map(Job::id)).hasSize(4).contains("e", "f");
        assertThat(info())
                .isEqualTo(new LimitInfo(OptionalInt.empty(), 2, false, Optional.of(Rate.perWindow(2, MONTH))));
        started.forEach(this::finish);
        assertThat(claim()).isEmpty();
        assertThat(await(node().processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();
        assertThat(info().taken()).isZero();
    }

    @Test
    void aBucketAllowsABurstAndThenItsShare() {
        rate(Rate.evenly(1, MONTH, 4));
        addJobs(6);

        assertThat(claimAll()).hasSize(4);
    }

    @Test
    void oneClaimOfManyJobsStartsAsManyAsThereAreTokens() {
        rate(Rate.perWindow(3, MONTH));
        List<String> ran = new ArrayList<>();
        addJobs(20);
        add(plain("last"));
        CompletableFuture<Void> last = new CompletableFuture<>();
        try (Worker worker = node().worker()
                .concurrency(50)
                .process(WORK, job -> {
                    synchronized (ran) {
                        ran.add(job.id());
                        if (ran.size() == 4) {
                            last.complete(null);
                        }
                    }
                })
                .start()) {
            assertThat(worker).isNotNull();
            await(last);
        }

        assertThat(ran).hasSize(4).contains("last");
        assertThat(claim()).isEmpty();
        assertThat(info().taken()).isZero();
    }

    @Test
    void anotherAttemptIsAnotherStart() {
        rate(Rate.perWindow(2, MONTH));
        addAll("a");
        await(timed.processor().snooze(database, claim().orElseThrow(), Duration.ZERO));
        await(timed.processor().snooze(database, claim().orElseThrow(), Duration.ZERO));

        assertThat(claim()).isEmpty();
        clearRate();
        assertThat(claimedIds()).containsExactly("a");
    }

    @Test
    void theSameKeyOfAnotherTypeGoesOn() {
        rate(Rate.perWindow(1, MONTH));
        addAll("a", "b");
        await(timed.add(database, NewJob.of(MAIL, new WorkData(1)).id("m").limitKey(KEY)));
        await(timed.add(database, NewJob.of(MAIL, new WorkData(1)).id("n").limitKey(KEY)));

        assertThat(claimAll()).hasSize(1);
        assertThat(await(timed.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                .isPresent();
        assertThat(await(timed.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                .isPresent();
    }

    @Test
    void severalKeysHaveEachItsOwnRate() {
        rate(Rate.perWindow(1, MONTH));
        await(timed.limits().setRate(database, INDEX, OTHER, Rate.evenly(1, MONTH, 2)));
        addAll("a", "b");
        Stream.of("c", "d", "e").forEach(id -> add(other(id)));

        assertThat(claimAll()).hasSize(3);
        await(timed.limits().clearRate(database, INDEX, OTHER));
        assertThat(claimAll()).hasSize(1);
        clearRate();
        assertThat(claimAll()).hasSize(1);
    }

    // When they start

    @Test
    void jobsStartOneAfterTheOtherAtTheRate() {
        rate(Rate.evenly(20, SECOND, 1));
        addJobs(5);
        long before = version();

        for (int i = 0; i < 5; i++) {
            assertThat(await(timed.processor().accept(INDEX))).isPresent();
        }

        assertThat(version() - before).isGreaterThanOrEqualTo(4 * 50 * VERSIONS_PER_MILLI);
    }

    @Test
    void jobsStartInTheNextWindow() {
        rate(Rate.perWindow(1, Duration.ofMillis(100)));
        addJobs(3);

        assertThat(IntStream.range(0, 3)
                        .mapToObj(i -> await(timed.processor().accept(INDEX))
                                .orElseThrow()
                                .id()))
                .hasSize(3);
    }

    @Test
    void workersOfManyProcessesStartAllJobsAtTheRate() {
        rate(Rate.evenly(100, SECOND, 10));
        List<Worker> workers = IntStream.range(0, 3)
                .mapToObj(i -> node().worker().process(WORK, job -> {}).start())
                .toList();
        long before = version();

        addJobs(60);
        IntStream.range(0, 60).forEach(i -> await(jobs.resultAsync(WORK, "job-" + i, LONG)));

        long after = version();
        workers.forEach(Worker::close);
        assertThat(after - before).isGreaterThanOrEqualTo(50 * 10 * VERSIONS_PER_MILLI);
        assertThat(info().taken()).isZero();
    }

    @Test
    void aProcessThatIsStartedLaterFindsJobsThatWait() {
        rate(Rate.perWindow(1, Duration.ofMillis(300)));
        addJobs(50);
        assertThat(claimAll()).isNotEmpty();
        timed.close();

        assertThat(await(node().processor().accept(INDEX))).isPresent();
    }

    @Test
    void tokensThatWereNotUsedAreThereAfterwards() {
        rate(Rate.evenly(10, SECOND, 4));
        addJobs(200);
        assertThat(claimAll()).hasSizeGreaterThanOrEqualTo(4);
        long full = version() + 400 * VERSIONS_PER_MILLI;
        while (version() < full) {} // no claim meanwhile

        assertThat(claimAll()).hasSizeGreaterThanOrEqualTo(4);
    }

    @Test
    void jobsThatWaitStartInTheOrderOfTheirKey() {
        rate(Rate.perWindow(1, MONTH));
        addAll("first", "second");
        assertThat(claimAll()).hasSize(1);
        addAll("third", "fourth");
        add(job("urgent").priority(3));
        assertThat(claim()).isEmpty();
        await(timed.limits().set(database, INDEX, KEY, 2));

        rate(Rate.perWindow(4, MONTH));

        List<String> order = new ArrayList<>();
        Optional<Job<WorkData>> next = claim();
        while (next.isPresent()) {
            order.add(next.get().id());
            finish(next.get());
            next = claim();
        }
        assertThat(order).hasSize(4).startsWith("urgent").endsWith("third", "fourth");
    }

    @Test
    void oneClaimPassesManyJobsThatWaitAndEachIsMovedOnce() {
        rate(Rate.perWindow(1, MONTH));
        addJobs(300);
        add(plain("last"));

        assertThat(claimAll()).hasSize(2);

        assertThat(info().taken()).isEqualTo(1);
        assertThat(rows.under("limited", "index")).hasSize(299);
        assertThat(rows.under("token_waits", "index")).hasSize(1);
        assertThat(claim()).isEmpty();
        assertThat(rows.under("limited", "index")).hasSize(299);
    }

    @Test
    void manyJobsThatWaitStartAllWithTheNextTokens() {
        rate(Rate.perWindow(1, MONTH));
        addJobs(250);
        assertThat(claimAll()).hasSize(1);

        rate(Rate.perWindow(230, MONTH));

        assertThat(claimAll()).hasSize(230);
        assertThat(rows.under("limited", "index")).hasSize(19);
    }

    // A change of the rate

    @Test
    void aRateThatIsSetAgainForgetsNothing() {
        rate(Rate.perWindow(2, MONTH));
        addJobs(6);
        assertThat(claimAll()).hasSize(2);

        rate(Rate.perWindow(2, MONTH));

        assertThat(claim()).isEmpty();
    }

    @Test
    void aNewRateBeginsAnewAndNoneLetsAllStart() {
        rate(Rate.perWindow(1, MONTH));
        addJobs(6);
        assertThat(claimAll()).hasSize(1);

        rate(Rate.evenly(1, MONTH, 2));
        assertThat(claimAll()).hasSize(2);

        clearRate();
        assertThat(claimAll()).hasSize(3);
        assertThat(info()).isEqualTo(new LimitInfo(OptionalInt.empty(), 6, false, Optional.empty()));
        assertThat(rows.under("token_waits", "index")).isEmpty();
        assertThat(rows.under("key_rates", "index")).isEmpty();
        assertThat(rows.under("rated_keys", "index")).isEmpty();
        assertThat(rows.isThere("rules", "index")).isFalse();
        assertThat(rows.isThere("limits", "index", KEY)).isFalse();
    }

    @Test
    void processesThatWaitClaimWhenTheRateIsRaisedOrRemoved() {
        rate(Rate.perWindow(1, MONTH));
        addJobs(3);
        assertThat(claimAll()).hasSize(1);
        CompletableFuture<Optional<Job<WorkData>>> first = node().processor().accept(INDEX);
        rate(Rate.perWindow(1, MONTH.minusDays(1)));
        assertThat(await(first)).isPresent();

        CompletableFuture<Optional<Job<WorkData>>> second = node().processor().accept(INDEX);
        clearRate();

        assertThat(await(second)).isPresent();
    }

    @Test
    void aRateClearedInATransactionLetsAllWaitingJobsBeClaimed() {
        rate(Rate.perWindow(1, MONTH));
        addJobs(250);
        assertThat(claimAll()).hasSize(1);

        commit(tx -> timed.limits().clearRate(tx, INDEX, KEY).join());

        assertThat(claimAll()).hasSize(249);
        assertThat(info().taken()).isEqualTo(250);
    }

    // With other limits, rules and verbs

    @Test
    void theRateAndTheLimitOfAKeyApplyTogether() {
        rate(Rate.perWindow(3, MONTH));
        await(timed.limits().set(database, INDEX, KEY, 2));
        addJobs(6);

        List<Job<WorkData>> running = claimAll();
        assertThat(running).hasSize(2);
        running.forEach(this::finish);
        List<Job<WorkData>> last = claimAll();
        assertThat(last).hasSize(1);
        finish(last.get(0));
        assertThat(info().taken()).isZero();

        rate(Rate.perWindow(4, MONTH));
        assertThat(claimAll()).hasSize(2);
        await(timed.limits().clear(database, INDEX, KEY));
        assertThat(claimAll()).hasSize(1);
    }

    @Test
    void theLimitOfEachKeyChangesWhileJobsWaitForTokens() {
        rate(Rate.perWindow(1, MONTH));
        await(timed.limits().set(database, INDEX, 3));
        addJobs(6);
        assertThat(claimAll()).hasSize(1);

        await(timed.limits().set(database, INDEX, 4));
        await(timed.limits().clear(database, INDEX));
        assertThat(claim()).isEmpty();

        clearRate();
        assertThat(claimAll()).hasSize(5);
    }

    @Test
    void theTokensCountAfterAPause() {
        rate(Rate.perWindow(2, MONTH));
        addAll("a", "b", "c");
        await(timed.limits().pause(database, INDEX, KEY));
        assertThat(claim()).isEmpty();
        assertThat(info().taken()).isZero();

        await(timed.limits().resume(database, INDEX, KEY));
        assertThat(claimedIds()).hasSize(2);
        await(timed.limits().pause(database, INDEX, KEY));
        rate(Rate.perWindow(3, MONTH));
        assertThat(claim()).isEmpty();
        assertThat(info().isPaused()).isTrue();
        clearRate();
        assertThat(claim()).isEmpty();

        await(timed.limits().resume(database, INDEX, KEY));
        assertThat(claimAll()).hasSize(1);
        assertThat(rows.isThere("rules", "index")).isFalse();
    }

    @Test
    void theRateComposesWithTheRulesOfTheType() {
        await(timed.limits().setTotal(database, INDEX, 2));
        await(timed.limits().setRate(database, INDEX, Rate.perWindow(3, MONTH)));
        rate(Rate.perWindow(1, MONTH));
        addAll("a", "b");
        await(timed.types().pause(database, INDEX, "deploying"));
        assertThat(claim()).isEmpty();
        await(timed.types().resume(database, INDEX));

        List<Job<WorkData>> started = claimAll();
        assertThat(started).hasSize(1);
        add(plain("c"));
        add(plain("d"));
        assertThat(claimAll()).hasSize(1);
        finish(started.get(0));
        assertThat(claimAll()).hasSize(1);
        assertThat(await(timed.limits().ofType(database, INDEX)).rate()).contains(Rate.perWindow(3, MONTH));
    }

    @Test
    void jobsThatWaitCanBeChangedRemovedAndCancelled() {
        rate(Rate.perWindow(1, MONTH));
        addAll("start");
        assertThat(claimedIds()).containsExactly("start");
        addAll("removed", "cancelled", "moved", "again");
        assertThat(claim()).isEmpty();

        assertThat(await(timed.remove(database, INDEX, "removed"))).isTrue();
        assertThat(await(timed.control().cancel(database, INDEX, "cancelled", "no need")))
                .isTrue();
        assertThat(await(timed.control().reprioritise(database, INDEX, "again", 4)))
                .isTrue();
        assertThat(await(timed.control().runNow(database, INDEX, "again"))).isTrue();
        add(job("moved").limitKey(OTHER));

        assertThat(claimedIds()).containsExactly("moved");
        clearRate();
        assertThat(claimedIds()).containsExactly("again");
        assertThat(rows.under("limited", "index")).isEmpty();
        assertThat(info().taken()).isEqualTo(2);
    }

    @Test
    void aKeyWithoutJobsLeavesNoRowOfWaiting() {
        rate(Rate.perWindow(1, Duration.ofMillis(50)));
        addJobs(20);
        assertThat(claimAll()).isNotEmpty();
        IntStream.range(0, 20).forEach(i -> await(timed.remove(database, INDEX, "job-" + i)));

        while (!rows.under("token_waits", "index").isEmpty()) {
            assertThat(claim()).isEmpty();
        }

        assertThat(rows.under("slots", "index")).isEmpty();
        add(job("next"));
        assertThat(await(timed.processor().accept(INDEX))).isPresent();
    }

    @Test
    void aJobEndsAtItsDeadlineWhileItWaits() {
        rate(Rate.perWindow(1, MONTH));
        addAll("a");
        assertThat(claim()).isPresent();
        add(job("late").startBefore(NOON.plusSeconds(60)));
        assertThat(claim()).isEmpty();
        add(job("with-slot").limitKey(OTHER).startBefore(NOON.plusSeconds(60)));
        clock.advance(Duration.ofMinutes(2));

        assertThat(claim()).isEmpty();

        assertThat(await(timed.getJob(database, INDEX, "with-slot"))
                        .orElseThrow()
                        .outcome())
                .contains(Outcome.EXPIRED);
        clearRate();
        assertThat(claim()).isEmpty();
        assertThat(stateOf("late")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void jobsWithTurnKeysWaitAndOthersTakeTheirTurns() {
        rate(Rate.perWindow(1, MONTH));
        addAll("a");
        assertThat(claim()).isPresent();
        add(job("turn-1").turnKey("t1"));
        add(job("turn-2").turnKey("t1"));
        add(other("turn-3").turnKey("t1"));
        add(plain("turn-4").turnKey("t2"));

        assertThat(claimedIds()).containsExactlyInAnyOrder("turn-3", "turn-4");
        clearRate();
        assertThat(claimedIds()).containsExactlyInAnyOrder("turn-1", "turn-2");
    }

    @Test
    void theCurrentJobOfASequenceWaitsAndHoldsBackTheOthers() {
        rate(Rate.perWindow(1, MONTH));
        addAll("a");
        assertThat(claim()).isPresent();
        add(job("first").sequence("order"));
        add(plain("second").sequence("order"));
        assertThat(claim()).isEmpty();

        clearRate();

        Job<WorkData> first = claim().orElseThrow();
        assertThat(first.id()).isEqualTo("first");
        finish(first);
        assertThat(claimedIds()).containsExactly("second");
    }

    @Test
    void aScheduledJobThatBecomesDueWaits() {
        rate(Rate.perWindow(1, MONTH));
        addAll("a");
        assertThat(claim()).isPresent();
        add(job("later").at(NOON.plusSeconds(60)));
        clock.advance(Duration.ofMinutes(2));

        assertThat(claim()).isEmpty();
        clearRate();
        assertThat(claimedIds()).containsExactly("later");
    }

    @Test
    void jobsThatWaitForTokensAreLimitedInTheStatusIndex() {
        await(timed.statuses().index(INDEX));
        rate(Rate.perWindow(1, MONTH));
        addJobs(3);

        assertThat(claimAll()).hasSize(1);

        assertThat(await(timed.statuses().counts(database, INDEX)).get(JobStatus.LIMITED))
                .isEqualTo(2);
        clearRate();
        assertThat(claim()).isPresent();
        assertThat(await(timed.statuses().counts(database, INDEX)).get(JobStatus.WAITING))
                .isEqualTo(1);
    }

    @Test
    void workersDoNotUseUpTheRateForJobsThatWaitForTheirSlots() {
        rate(Rate.perWindow(12, MONTH));
        List<String> ran = new ArrayList<>();
        try (Worker worker = node().worker()
                .concurrency(1)
                .process(WORK, job -> {
                    ran.add(job.id());
                })
                .start()) {
            assertThat(worker).isNotNull();
            addJobs(12);
            IntStream.range(0, 12).forEach(i -> await(jobs.resultAsync(WORK, "job-" + i, LONG)));
        }

        assertThat(ran).hasSize(12);
    }

    // The verbs

    @Test
    void bothVerbsJoinTheCallersTransaction() {
        addAll("a", "b");
        try (Transaction tx = database.createTransaction()) {
            await(timed.limits().setRate(tx, INDEX, KEY, Rate.perWindow(1, MONTH)));
        }
        assertThat(info().rate()).isEmpty();

        commit(tx -> CompletableFuture.allOf(
                        timed.limits().setRate(tx, INDEX, KEY, Rate.perWindow(1, MONTH)), timed.add(tx, job("c")))
                .join());
        assertThat(claimAll()).hasSize(1);
        commit(tx -> timed.limits().clearRate(tx, INDEX, KEY).join());

        assertThat(claimAll()).hasSize(2);
    }

    @Test
    void callsInOneTransactionThatAreNotAwaitedTakeEffectInOrder() {
        addAll("a", "b");

        commit(tx -> CompletableFuture.allOf(
                        timed.limits().setRate(tx, INDEX, KEY, Rate.perWindow(5, MONTH)),
                        timed.limits().pause(tx, INDEX, KEY),
                        timed.limits().setRate(tx, INDEX, OTHER, Rate.perWindow(5, MONTH)),
                        timed.limits().set(tx, INDEX, KEY, 7),
                        timed.limits().clearRate(tx, INDEX, KEY),
                        timed.limits().resume(tx, INDEX, KEY),
                        timed.limits().setRate(tx, INDEX, KEY, Rate.perWindow(1, MONTH)),
                        timed.limits().clearRate(tx, INDEX, OTHER))
                .join());

        assertThat(info()).isEqualTo(new LimitInfo(OptionalInt.of(7), 0, false, Optional.of(Rate.perWindow(1, MONTH))));
        assertThat(rows.under("rated_keys", "index")).hasSize(1);
        assertThat(rows.under("paused_keys", "index")).isEmpty();
        assertThat(claimAll()).hasSize(1);
    }

    @Test
    void aRateIsClearedTwiceWithoutError() {
        clearRate();
        rate(Rate.perWindow(1, MONTH));
        clearRate();
        clearRate();

        assertThat(info()).isEqualTo(new LimitInfo(OptionalInt.empty(), 0, false, Optional.empty()));
    }

    @Test
    void invalidKeysAndRatesAreRefused() {
        for (String key : List.of("", "x".repeat(20_000))) {
            assertThatThrownBy(() -> timed.limits().setRate(database, INDEX, key, Rate.perWindow(1, MONTH)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("A limit key has 1 to 500 bytes");
            assertThatThrownBy(() -> timed.limits().clearRate(database, INDEX, key))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("A limit key has 1 to 500 bytes");
        }
        assertThatThrownBy(() -> Rate.perWindow(0, MONTH)).hasMessageContaining("pause");
    }

    @Test
    void theFirstRateOfAKeyRaisesTheLayout() {
        byte[] before = rows.bytes("layout");
        clearRate();
        assertThat(rows.bytes("layout")).isEqualTo(before);

        rate(Rate.perWindow(1, MONTH));

        assertThat(rows.value("layout")).containsExactly(14L, 14L, 14L, "", "", "", 1L << 4 | 1L << 14);
    }

    // Damaged rows

    @Test
    void aDamagedCountOfStartsBeginsAnew() {
        rate(Rate.perWindow(1, MONTH));
        addAll("a", "b", "c");
        assertThat(claimAll()).hasSize(1);
        rows.putBytes(rows.key("key_rates", "index", KEY), new byte[] {1, 2});

        rate(Rate.perWindow(1, MONTH)); // claims look at once

        assertThat(claimAll()).hasSize(1);
    }

    @Test
    void damagedSlotsLetNoJobWaitForTokensAndTheRateHolds() {
        rate(Rate.perWindow(1, Duration.ofMillis(300)));
        addJobs(50);
        assertThat(claimAll()).isNotEmpty();
        rows.putBytes(rows.key("slots", "index", KEY), new byte[] {1, 2});

        assertThat(await(timed.processor().accept(INDEX))).isPresent();
        assertThat(await(timed.processor().accept(INDEX))).isPresent();
    }

    @Test
    void aDamagedLimitHasNoRate() {
        rate(Rate.perWindow(1, MONTH));
        addAll("a", "b", "c");
        rows.putBytes(rows.key("limits", "index", KEY), new byte[] {0x7F});

        assertThat(claimAll()).hasSize(3);
        clearRate();
        assertThat(rows.isThere("rules", "index")).isFalse();
    }

    @Test
    void theResumptionOfATypeWithDamagedRulesKeepsTheRatesOfKeys() {
        rate(Rate.perWindow(1, MONTH));
        addAll("a", "b");
        rows.putBytes(rows.key("rules", "index"), new byte[] {1, 2});
        assertThat(claim()).isEmpty();

        await(timed.types().resume(database, INDEX));

        assertThat(claimAll()).hasSize(1);
    }
}
