package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.LimitInfo;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limit keys: no more jobs with one key run at once than its limit says, and no slot is lost. */
class LimitKeysContract extends JobsContract {
    private static final String KEY = "tenant-7";
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
        return NewJob.of(INDEX, new WorkData(1)).id(id).limitKey(KEY);
    }

    private void add(NewJob<WorkData> job) {
        await(timed.add(database, job));
        clock.advance(Duration.ofMillis(1));
    }

    private void addAll(String... ids) {
        Stream.of(ids).forEach(id -> add(job(id)));
    }

    private void limit(int max) {
        await(timed.limits().set(database, INDEX, KEY, max));
    }

    private LimitInfo limitOf(String key) {
        return await(timed.limits().get(database, INDEX, key));
    }

    private long taken() {
        return limitOf(KEY).taken();
    }

    private Optional<Job<WorkData>> claim() {
        return await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    /** Claims all jobs that may run now. */
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

    // The limit

    @Test
    void noMoreJobsWithAKeyRunThanItsLimit() {
        limit(2);
        addAll("a", "b", "c", "d");

        List<Job<WorkData>> running = claimAll();

        assertThat(running).extracting(Job::id).containsExactly("a", "b");
        assertThat(limitOf(KEY)).isEqualTo(new LimitInfo(OptionalInt.of(2), 2, false, Optional.empty()));
        finish(running.get(0));
        assertThat(claimedIds()).containsExactly("c");
        finish(running.get(1));
        assertThat(claimedIds()).containsExactly("d");
    }

    @Test
    void keysAndTypesAndJobsWithoutAKeyDoNotLimitEachOther() {
        await(timed.limits().set(database, INDEX, 1));
        addAll("a", "b");
        add(job("c").limitKey("tenant-8"));
        add(NewJob.of(INDEX, new WorkData(1)).id("d"));
        for (String id : List.of("e", "f")) {
            await(timed.add(database, NewJob.of(MAIL, new WorkData(1)).id(id).limitKey(KEY)));
            await(timed.processor().accept(MAIL, AcceptOptions.nonBlocking()));
        }

        assertThat(claimedIds()).containsExactlyInAnyOrder("a", "c", "d");
        assertThat(await(timed.counts(database, MAIL)).running()).isEqualTo(2);
        assertThat(await(timed.limits().get(database, MAIL, KEY)))
                .isEqualTo(new LimitInfo(OptionalInt.empty(), 2, false, Optional.empty()));
    }

    @Test
    void theLimitOfAKeyReplacesThatOfEachKey() {
        await(timed.limits().set(database, INDEX, 1));
        limit(3);
        addAll("a", "b", "c", "d");
        Stream.of("e", "f").forEach(id -> add(job(id).limitKey("tenant-8")));

        assertThat(claimedIds()).containsExactlyInAnyOrder("a", "b", "c", "e");
        await(timed.limits().clear(database, INDEX, KEY));
        assertThat(limitOf(KEY)).isEqualTo(new LimitInfo(OptionalInt.of(1), 3, false, Optional.empty()));
    }

    @Test
    void higherPrioritiesGetASlotFirstAndTheOldestWithinOne() {
        limit(1);
        addAll("running");
        Job<WorkData> running = claim().orElseThrow();
        addAll("low", "low-2");
        add(job("high").priority(5));

        List<String> order = new ArrayList<>();
        while (true) {
            finish(running);
            Optional<Job<WorkData>> next = claim();
            if (next.isEmpty()) {
                break;
            }
            running = next.get();
            order.add(running.id());
        }

        assertThat(order).containsExactly("high", "low", "low-2");
        assertThat(taken()).isZero();
    }

    @Test
    void jobsOfOneTransactionShareTheLimit() {
        limit(2);

        await(timed.addAll(
                database, IntStream.range(0, 5).mapToObj(i -> job("j" + i)).toList()));

        assertThat(claimAll()).hasSize(2);
        assertThat(taken()).isEqualTo(2);
    }

    @Test
    void jobsOfOneTransactionGetSlotsByPriority() {
        limit(1);
        addAll("running", "waiting");
        Job<WorkData> running = claim().orElseThrow();

        commit(tx -> {
            timed.addAll(tx, List.of(job("low"), job("high").priority(2))).join();
            timed.processor().finish(tx, running).join();
        });

        assertThat(claimedIds()).containsExactly("high");
    }

    @Test
    void aClaimOfLaterJobsTakesThemBeforeTheirTimeWithASlot() {
        limit(1);
        add(job("a").at(NOON.plusSeconds(60)).priority(1));
        add(job("b").at(NOON.plusSeconds(60)).priority(1));
        add(NewJob.of(INDEX, new WorkData(1)).id("c").at(NOON.plusSeconds(90)));
        AcceptOptions later = AcceptOptions.nonBlocking().maxSchedTime(NOON.plusSeconds(100));

        List<String> ids = Stream.generate(() -> await(timed.processor().accept(INDEX, later)))
                .takeWhile(Optional::isPresent)
                .map(job -> job.orElseThrow().id())
                .toList();

        assertThat(ids).hasSize(2).contains("c");
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void aRunningJobThatGetsAnotherPriorityKeepsItsAge() {
        limit(1);
        addAll("a");
        Job<WorkData> running = claim().orElseThrow();
        add(NewJob.of(INDEX, new WorkData(1)).id("a").priority(7));
        add(NewJob.of(INDEX, new WorkData(1)).id("a"));
        addAll("b");
        await(timed.processor().snooze(database, running, Duration.ZERO));

        assertThat(await(timed.getJob(database, INDEX, "a")).orElseThrow().limitKey())
                .contains(KEY);
        assertThat(claimedIds()).containsExactly("a");
    }

    // The ends that pass a slot on

    @Test
    void everyEndPassesTheSlotOn() {
        limit(1);
        addAll("a", "b", "c", "d", "e");

        finish(claim().orElseThrow());
        await(timed.processor().cancel(database, claim().orElseThrow(), "no need"));
        await(timed.processor().fail(database, claim().orElseThrow(), new IllegalStateException("broken")));
        await(timed.remove(database, INDEX, claim().orElseThrow().id()));

        assertThat(claimedIds()).containsExactly("e");
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void theSlotIsPassedOnByTheTransactionThatEndsTheJob() {
        limit(1);
        addAll("a", "b");
        Job<WorkData> running = claim().orElseThrow();
        CompletableFuture<?> aborted = database.runAsync(tx -> timed.processor()
                .finish(tx, running)
                .thenCompose(done -> CompletableFuture.failedFuture(new IllegalStateException("abort"))));
        assertThat(failureOf(aborted)).hasMessage("abort");
        assertThat(claim()).isEmpty();

        commit(tx -> timed.processor().finish(tx, running).join());

        assertThat(claimedIds()).containsExactly("b");
    }

    @Test
    void aJobWhoseClaimExpiresGoesOnToHoldItsSlot() {
        limit(1);
        addAll("a", "b");
        assertThat(claim()).isPresent();

        awaitSilence(INDEX, List.of(await(timed.subscribe(database, INDEX, "a"))));

        assertThat(claimedIds()).containsExactly("a");
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void aJobThatPausesBeforeItsNextAttemptGivesItsSlotBack() {
        limit(1);
        add(job("a").retry(RetryPolicy.standard().attempts(3)));
        addAll("b");

        await(timed.processor().fail(database, claim().orElseThrow(), new IllegalStateException("once")));
        Job<WorkData> other = claim().orElseThrow();
        assertThat(other.id()).isEqualTo("b");
        clock.advance(Duration.ofHours(1));
        assertThat(claim()).isEmpty();
        assertThat(taken()).isEqualTo(1);
        assertThat(rows.under("limited", "index")).hasSize(1);

        finish(other);

        assertThat(claimedIds()).containsExactly("a");
    }

    @Test
    void aSnoozedJobGivesItsSlotBackAndTakesOneWhenItIsDue() {
        limit(1);
        addAll("a");
        await(timed.processor().snooze(database, claim().orElseThrow(), Duration.ofMinutes(1)));
        assertThat(taken()).isZero();
        assertThat(claim()).isEmpty();

        clock.advance(Duration.ofMinutes(2));

        assertThat(claimedIds()).containsExactly("a");
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void aJobThatIsFinishedWhileFlaggedToRunAgainKeepsItsSlot() {
        limit(1);
        addAll("a", "b");
        Job<WorkData> running = claim().orElseThrow();
        await(timed.processor().resubmit(database, running));

        finish(running);

        assertThat(claimedIds()).containsExactly("a");
        assertThat(taken()).isEqualTo(1);
    }

    // Jobs that wait

    @Test
    void aScheduledJobTakesASlotWhenItsTimeHasCome() {
        limit(1);
        add(job("later").at(NOON.plusSeconds(60)));
        assertThat(taken()).isZero();
        addAll("now");
        Job<WorkData> running = claim().orElseThrow();
        clock.advance(Duration.ofMinutes(2));
        assertThat(claim()).isEmpty();

        finish(running);

        assertThat(claimedIds()).containsExactly("later");
    }

    @Test
    void scheduledJobsWithAKeyRunBesideOthers() {
        limit(1);
        Instant time = NOON.plusSeconds(60);
        add(job("a").at(time));
        add(job("b").at(time).priority(3));
        add(NewJob.of(INDEX, new WorkData(1)).id("c").at(time));
        clock.advance(Duration.ofMinutes(2));

        assertThat(claimedIds()).hasSize(2).contains("c");
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void aWaitingJobIsRemovedOrChangedWithoutATraceInTheQueue() {
        limit(1);
        addAll("a", "b", "c", "d");
        Job<WorkData> running = claim().orElseThrow();
        assertThat(await(timed.remove(database, INDEX, "b"))).isTrue();
        add(job("d").priority(1));
        add(job("c").at(NOON.plusSeconds(3_600)));

        finish(running);

        assertThat(claimedIds()).containsExactly("d");
        assertThat(rows.under("limited", "index")).isEmpty();
    }

    @Test
    void anAdmittedJobThatIsRemovedOrMovedPassesItsSlotOn() {
        limit(1);
        addAll("a", "b", "c");
        await(timed.remove(database, INDEX, "a"));
        add(job("b").at(NOON.plusSeconds(3_600)));

        assertThat(claimedIds()).containsExactly("c");
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void aPendingJobCanChangeItsKey() {
        limit(1);
        addAll("a", "b");
        add(job("a").limitKey("tenant-8"));
        assertThat(claimedIds()).containsExactlyInAnyOrder("a", "b");
        assertThat(taken()).isEqualTo(1);
        assertThat(limitOf("tenant-8").taken()).isEqualTo(1);
    }

    @Test
    void aPendingJobCanGetAndLoseAKey() {
        limit(1);
        addAll("a", "b");
        add(NewJob.of(INDEX, new WorkData(2)).id("b"));
        assertThat(claimAll()).hasSize(2);
        add(NewJob.of(INDEX, new WorkData(1)).id("c"));
        add(job("c"));
        assertThat(claim()).isEmpty();
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void anAdmittedJobThatLosesItsKeyOrIsAddedAgainWithoutItStaysInTheQueue() {
        limit(1);
        addAll("a", "b");
        add(NewJob.of(INDEX, new WorkData(2)).id("a"));
        commit(tx -> {
            timed.remove(tx, INDEX, "b").join();
            timed.add(tx, NewJob.of(INDEX, new WorkData(2)).id("b")).join();
        });

        assertThat(taken()).isZero();
        assertThat(claimedIds()).containsExactly("a", "b");
    }

    @Test
    void aJobThatWaitsForAnotherTakesASlotWhenThatHasEnded() {
        limit(1);
        await(timed.add(database, NewJob.of(MAIL, new WorkData(1)).id("first")));
        add(job("a").after(MAIL, "first"));
        assertThat(taken()).isZero();
        addAll("b");
        Job<WorkData> running = claim().orElseThrow();

        finish(await(timed.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow());
        assertThat(claim()).isEmpty();
        finish(running);

        assertThat(claimedIds()).containsExactly("a");
    }

    @Test
    void callsInOneTransactionThatAreNotAwaitedTakeEffectInOrder() {
        limit(1);
        addAll("running", "waiting");
        Job<WorkData> running = claim().orElseThrow();

        commit(tx -> {
            CompletableFuture<?> added = timed.add(tx, job("new"));
            CompletableFuture<?> removed = timed.remove(tx, INDEX, "new");
            CompletableFuture<?> finished = timed.processor().finish(tx, running);
            CompletableFuture<?> gone = timed.remove(tx, INDEX, "waiting");
            CompletableFuture<?> last = timed.add(tx, job("last"));
            CompletableFuture.allOf(added, removed, finished, gone, last).join();
        });

        assertThat(claimedIds()).containsExactly("last");
        assertThat(taken()).isEqualTo(1);
        assertThat(rows.under("limited", "index")).isEmpty();
    }

    @Test
    void callsOfTwoInstancesInOneTransactionTakeEffectInOrder() {
        limit(1);
        CouchJobs other = node(clock);
        addAll("running", "waiting");
        Job<WorkData> running = claim().orElseThrow();

        commit(tx -> CompletableFuture.allOf(
                        timed.add(tx, job("new")),
                        other.remove(tx, INDEX, "new"),
                        other.processor().finish(tx, running),
                        timed.remove(tx, INDEX, "waiting"),
                        other.add(tx, job("last")))
                .join());

        assertThat(claimedIds()).containsExactly("last");
        assertThat(taken()).isEqualTo(1);
    }

    // Damaged rows

    private void damage(Object... path) {
        rows.putBytes(rows.key(path), new byte[] {0x7F});
    }

    @Test
    void aDamagedNumberOfTakenSlotsStopsNoJob() {
        limit(1);
        addAll("a", "b");
        add(NewJob.of(INDEX, new WorkData(1)).id("plain"));
        List<Job<WorkData>> running = claimAll();
        damage("slots", "index", KEY);

        running.forEach(this::finish);

        assertThat(claimedIds()).containsExactly("b");
    }

    @Test
    void aDamagedLimitLimitsNothing() {
        limit(1);
        addAll("a", "b");
        Job<WorkData> running = claim().orElseThrow();
        damage("limits", "index", KEY);

        finish(running);

        assertThat(claimedIds()).containsExactly("b");
        assertThat(limitOf(KEY)).isEqualTo(new LimitInfo(OptionalInt.empty(), 1, false, Optional.empty()));
    }

    @Test
    void aDamagedRowOfAWaitingJobHoldsBackNoOther() {
        limit(1);
        addAll("a", "b", "c");
        Job<WorkData> running = claim().orElseThrow();
        List<Object> first = new ArrayList<>(List.of("limited", "index"));
        first.addAll(rows.under("limited", "index").get(0).getItems());
        damage(first.toArray());

        finish(running);
        await(timed.remove(database, INDEX, "b"));

        assertThat(taken()).isEqualTo(1);
        assertThat(claimedIds()).containsExactly("c");
    }

    // Changes of a limit

    /** What leaves a slot free, beside the addition of a job and a claim that has found no slot for it. */
    private void isRepeatedBesideAClaimThatFindsNoSlot(Function<Transaction, CompletableFuture<?>> leavesASlotFree) {
        try (Transaction tx = database.createTransaction()) {
            await(tx.getReadVersion());
            await(leavesASlotFree.apply(tx));
            addAll("b");
            assertThat(claim()).isEmpty();
            assertThat(failureOf(tx.commit())).hasMessageContaining("not committed");
        }
        commit(tx -> await(leavesASlotFree.apply(tx)));

        assertThat(claimedIds()).containsExactly("b");
    }

    @Test
    void anEndLeavesNoSlotFreeForWhichAClaimHasFoundAJob() {
        limit(1);
        addAll("a");
        Job<WorkData> running = claim().orElseThrow();
        isRepeatedBesideAClaimThatFindsNoSlot(tx -> timed.processor().finish(tx, running));
    }

    @Test
    void aRaisedLimitOfAKeyLeavesNoSlotFreeForWhichAClaimHasFoundAJob() {
        limit(1);
        addAll("a");
        assertThat(claim()).isPresent();
        isRepeatedBesideAClaimThatFindsNoSlot(tx -> timed.limits().set(tx, INDEX, KEY, 2));
    }

    @Test
    void aRaisedLimitOfEachKeyLeavesNoSlotFreeForWhichAClaimHasFoundAJob() {
        await(timed.limits().set(database, INDEX, 1));
        addAll("a");
        assertThat(claim()).isPresent();
        isRepeatedBesideAClaimThatFindsNoSlot(tx -> timed.limits().set(tx, INDEX, 2));
    }

    @Test
    void theEndOfAPauseLeavesNoSlotFreeForWhichAClaimHasFoundAJob() {
        await(timed.limits().pause(database, INDEX, KEY));
        isRepeatedBesideAClaimThatFindsNoSlot(tx -> timed.limits().resume(tx, INDEX, KEY));
    }

    @Test
    void theEndOfARateLeavesNoSlotFreeForWhichAClaimHasFoundAJob() {
        await(timed.limits().setRate(database, INDEX, KEY, Rate.perWindow(1, Duration.ofHours(1))));
        addAll("a", "waits");
        assertThat(claimAll()).hasSize(1);
        await(timed.remove(database, INDEX, "waits"));
        isRepeatedBesideAClaimThatFindsNoSlot(tx -> timed.limits().clearRate(tx, INDEX, KEY));
    }

    @Test
    void aJobThatBeginsToWaitWhileALimitIsRaisedIsClaimed() {
        await(timed.limits().set(database, INDEX, 1));
        addAll("a");
        assertThat(claim()).isPresent();
        commit(tx -> {
            await(tx.getReadVersion());
            await(timed.limits().set(tx, INDEX, KEY, 2));
            addAll("b");
        });

        assertThat(claimedIds()).containsExactly("b");
    }

    @Test
    void aRaisedLimitLetsWaitingJobsBeClaimedAtOnce() {
        limit(1);
        await(timed.addAll(
                database, IntStream.range(0, 300).mapToObj(i -> job("j" + i)).toList()));
        assertThat(claimAll()).hasSize(1);

        limit(251);

        assertThat(claimAll()).hasSize(250);
        assertThat(taken()).isEqualTo(251);
    }

    @Test
    void theLimitOfEachKeyAdmitsJobsOfAllKeys() {
        await(timed.limits().set(database, INDEX, 1));
        List<NewJob<WorkData>> added = new ArrayList<>();
        for (int tenant = 0; tenant < 30; tenant++) {
            for (int i = 0; i < 3; i++) {
                added.add(NewJob.of(INDEX, new WorkData(i)).limitKey("tenant-" + tenant));
            }
        }
        await(timed.addAll(database, added));
        assertThat(claimAll()).hasSize(30);

        await(timed.limits().set(database, INDEX, 2));
        assertThat(claimAll()).hasSize(30);
        await(timed.limits().clear(database, INDEX));
        assertThat(claimAll()).hasSize(30);
    }

    @Test
    void aLoweredLimitLetsRunningJobsEndAndAdmitsNoneUntilThen() {
        limit(3);
        addAll("a", "b", "c", "d", "e");
        List<Job<WorkData>> running = claimAll();
        limit(1);

        finish(running.get(0));
        finish(running.get(1));
        assertThat(claim()).isEmpty();
        finish(running.get(2));

        assertThat(claimedIds()).containsExactly("d");
        assertThat(taken()).isEqualTo(1);
    }

    @Test
    void jobsThatRanBeforeALimitWasSetCount() {
        addAll("a", "b", "c");
        List<Job<WorkData>> running = claimAll();
        limit(2);
        addAll("d");

        assertThat(taken()).isEqualTo(3);
        finish(running.get(0));
        assertThat(claim()).isEmpty();
        finish(running.get(1));
        assertThat(claimedIds()).containsExactly("d");
    }

    @Test
    void invalidLimitsAndKeysAreRefused() {
        assertThatThrownBy(() -> limit(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("A limit is at least 1; this is 0");
        assertThatThrownBy(() -> job("a").limitKey(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("A limit key has 1 to 500 bytes");
        assertThatThrownBy(() -> job("a").limitKey("x".repeat(20_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("this one has 20000");
    }

    @Test
    void aJobTellsItsKey() {
        addAll("a");
        assertThat(await(timed.getJob(database, INDEX, "a")).orElseThrow().limitKey())
                .contains(KEY);
        assertThat(job("a").limitKey()).contains(KEY);
    }

    // Workers

    @Test
    void workersInSeveralProcessesKeepTheLimitAndRunAll() throws InterruptedException {
        int jobsOfEach = 40;
        await(jobs.limits().set(database, INDEX, 3));
        List<NewJob<WorkData>> added = new ArrayList<>();
        for (int i = 0; i < jobsOfEach; i++) {
            added.add(NewJob.of(INDEX, new WorkData(i)).limitKey("a"));
            added.add(NewJob.of(INDEX, new WorkData(i)).limitKey("b"));
        }
        Map<String, Integer> running = new HashMap<>();
        List<Integer> most = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(added.size());
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CouchJobs node = node();
            workers.add(node.worker()
                    .process(WORK, job -> {
                        String key = limitKey(node, job.id());
                        synchronized (running) {
                            most.add(running.merge(key, 1, Integer::sum));
                        }
                        limitKey(node, job.id()); // others run meanwhile
                        synchronized (running) {
                            running.merge(key, -1, Integer::sum);
                        }
                        done.countDown();
                    })
                    .concurrency(8)
                    .start());
        }
        await(jobs.addAll(database, added));

        assertThat(done.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        workers.forEach(Worker::close);

        assertThat(most).allMatch(count -> count <= 3);
        assertThat(await(jobs.counts(database, INDEX)).succeeded()).isEqualTo(added.size());
        assertThat(limitOf("a").taken() + limitOf("b").taken()).isZero();
        assertThat(rows.under("limited", "index")).isEmpty();
        assertThat(rows.under("slots", "index")).isEmpty();
    }

    private String limitKey(CouchJobs node, String id) {
        return await(node.getJob(database, INDEX, id)).orElseThrow().limitKey().orElseThrow();
    }

    @Test
    void aJobKeepsItsKeyWhenItIsSentAgain() {
        limit(1);
        JobType<WorkData, ?> type = INDEX;
        addAll("a");
        finish(claim().orElseThrow());
        assertThat(await(timed.getJobState(database, type, "a"))).isEqualTo(JobState.FINISHED);
        addAll("a", "b");

        assertThat(claimedIds()).containsExactly("a");
    }
}
