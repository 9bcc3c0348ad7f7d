package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.LimitInfo;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Rate;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pause of a limit key: nothing claims its jobs, all others run, and nothing is lost. */
class PausedKeysContract extends JobsContract {
    private static final String KEY = "tenant-7";
    private static final String OTHER = "tenant-8";
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

    /** Pauses the key, up to a hundred of whose jobs have slots and do not run: the claim of another gave them some. */
    private void pause() {
        add(plain("gives-slots").priority(9));
        assertThat(claim().orElseThrow().id()).isEqualTo("gives-slots");
        await(timed.remove(database, INDEX, "gives-slots"));
        await(timed.limits().pause(database, INDEX, KEY));
    }

    private void resume() {
        await(timed.limits().resume(database, INDEX, KEY));
    }

    private LimitInfo info() {
        return await(timed.limits().get(database, INDEX, KEY));
    }

    private static LimitInfo paused(OptionalInt max, long taken) {
        return new LimitInfo(max, taken, true, Optional.empty());
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

    private List<String> pausedKeys() {
        return await(timed.limits().pausedKeys(database, INDEX, PageRequest.of(10)))
                .items();
    }

    // The pause

    @Test
    void noJobOfAPausedKeyIsClaimedAndAllOthersAre() {
        addAll("a", "b");
        add(other("c"));
        add(plain("d"));

        pause();
        addAll("e");

        assertThat(claimedIds()).containsExactlyInAnyOrder("c", "d");
        assertThat(await(node().processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();
        assertThat(info()).isEqualTo(paused(OptionalInt.empty(), 0));
    }

    @Test
    void theSameKeyOfAnotherTypeGoesOn() {
        pause();
        await(timed.add(database, NewJob.of(MAIL, new WorkData(1)).id("m").limitKey(KEY)));

        assertThat(await(timed.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                .isPresent();
    }

    @Test
    void jobsWithASlotGoBackAndComeAgainInTheirOrder() {
        addAll("a", "b", "c");
        add(job("urgent").priority(3));
        add(job("scheduled").at(NOON));
        pause();
        assertThat(claim()).isEmpty();
        assertThat(info().taken()).isZero();
        assertThat(rows.under("limited", "index")).hasSize(5);

        await(timed.limits().set(database, INDEX, KEY, 1));
        resume();

        List<String> order = new ArrayList<>();
        Optional<Job<WorkData>> next = claim();
        while (next.isPresent()) {
            order.add(next.get().id());
            assertThat(claim()).isEmpty();
            finish(next.get());
            next = claim();
        }
        assertThat(order).containsExactly("urgent", "a", "b", "c", "scheduled");
        assertThat(info()).isEqualTo(new LimitInfo(OptionalInt.of(1), 0, false, Optional.empty()));
    }

    @Test
    void whatRunsMayFinishAndItsSlotIsNotPassedOn() {
        await(timed.limits().set(database, INDEX, KEY, 1));
        addAll("a", "b");
        Job<WorkData> running = claim().orElseThrow();

        pause();

        await(timed.processor().update(database, running));
        finish(running);
        assertThat(stateOf("a")).isEqualTo(JobState.FINISHED);
        assertThat(claim()).isEmpty();
        assertThat(info()).isEqualTo(paused(OptionalInt.of(1), 0));
        resume();
        assertThat(claimedIds()).containsExactly("b");
    }

    @Test
    void aJobWhoseClaimEndsEarlyWaits() {
        addAll("a", "b");
        Job<WorkData> snoozed = claim().orElseThrow();
        Job<WorkData> flagged = claim().orElseThrow();
        await(timed.processor().resubmit(database, flagged));
        pause();

        await(timed.processor().snooze(database, snoozed, Duration.ZERO));
        finish(flagged);

        assertThat(claim()).isEmpty();
        assertThat(info().taken()).isZero();
        resume();
        assertThat(claimedIds()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aJobWhoseClaimExpiresWaits() {
        addAll("a");
        assertThat(claim()).isPresent();
        pause();

        awaitSilence(INDEX, List.of(await(timed.subscribe(database, INDEX, "a"))));

        assertThat(claim()).isEmpty();
        resume();
        assertThat(claimedIds()).containsExactly("a");
    }

    @Test
    void aScheduledJobThatBecomesDueWaits() {
        add(job("a").at(NOON.plusSeconds(60)));
        pause();
        clock.advance(Duration.ofMinutes(2));

        assertThat(claim()).isEmpty();
        assertThat(rows.under("limited", "index")).hasSize(1);
        resume();
        assertThat(claimedIds()).containsExactly("a");
    }

    @Test
    void aClaimThatBeganBeforeThePauseDoesNotCommitAfterIt() {
        await(timed.limits().pause(database, INDEX, OTHER)); // claims have to read the key itself
        addAll("a");
        CompletableFuture<Void> paused = new CompletableFuture<>();
        Database pausing = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            Object result = DatabaseProxies.invoke(database, method, arguments);
            return result instanceof Transaction tx ? pausingBeforeCommit(tx, paused) : result;
        });
        CouchJobs late = node(pausing, Environment.system());

        Optional<Job<WorkData>> claimed = await(late.processor().accept(INDEX, AcceptOptions.nonBlocking()));

        assertThat(paused).isDone();
        assertThat(claimed).isEmpty();
        assertThat(stateOf("a")).isEqualTo(JobState.PENDING);
    }

    private Transaction pausingBeforeCommit(Transaction tx, CompletableFuture<Void> paused) {
        return DatabaseProxies.to(
                Transaction.class,
                (self, method, arguments) -> method.getName().equals("commit")
                        ? pauseOnce(tx, paused).thenCompose(done -> tx.commit())
                        : DatabaseProxies.invoke(tx, method, arguments));
    }

    /** Pauses the key if the transaction has claimed the job. */
    private CompletableFuture<Void> pauseOnce(Transaction tx, CompletableFuture<Void> paused) {
        return jobs.getJobState(tx.snapshot(), INDEX, "a")
                .thenCompose(state -> state == JobState.RUNNING && paused.complete(null)
                        ? jobs.limits().pause(database, INDEX, KEY)
                        : CompletableFuture.completedFuture(null));
    }

    @Test
    void oneClaimPassesManyJobsWithASlot() {
        await(timed.addAll(
                database, IntStream.range(0, 100).mapToObj(i -> job("job-" + i)).toList()));
        add(plain("last"));
        pause();
        assertThat(info().taken()).isEqualTo(100);

        assertThat(claim().orElseThrow().id()).isEqualTo("last");
        assertThat(info().taken()).isZero();
        resume();
        assertThat(claimAll()).hasSize(100);
    }

    // The limit and the jobs that wait

    @Test
    void theLimitIsKeptAndMayChangeDuringThePause() {
        await(timed.limits().set(database, INDEX, KEY, 1));
        addAll("a", "b", "c", "d");
        pause();
        assertThat(info()).isEqualTo(paused(OptionalInt.of(1), 1));

        await(timed.limits().set(database, INDEX, KEY, 3));
        assertThat(claim()).isEmpty();
        assertThat(info()).isEqualTo(paused(OptionalInt.of(3), 0));
        resume();

        assertThat(claimedIds()).containsExactly("a", "b", "c");
    }

    @Test
    void theLimitOfEachKeyChangesDuringThePause() {
        await(timed.limits().set(database, INDEX, 1));
        addAll("a", "b", "c");
        pause();
        assertThat(claim()).isEmpty();

        await(timed.limits().set(database, INDEX, 2));
        assertThat(claim()).isEmpty();
        assertThat(info()).isEqualTo(paused(OptionalInt.of(2), 0));
        await(timed.limits().clear(database, INDEX, KEY));
        assertThat(claim()).isEmpty();
        resume();

        assertThat(claimedIds()).containsExactly("a", "b");
    }

    @Test
    void waitingJobsCanBeChangedRemovedAndCancelled() {
        addAll("removed", "cancelled", "moved", "again");
        pause();
        assertThat(claim()).isEmpty();

        assertThat(await(timed.remove(database, INDEX, "removed"))).isTrue();
        assertThat(await(timed.control().cancel(database, INDEX, "cancelled", "no need")))
                .isTrue();
        assertThat(await(timed.control().reprioritise(database, INDEX, "again", 4)))
                .isTrue();
        assertThat(await(timed.control().runNow(database, INDEX, "again"))).isTrue();
        add(job("moved").limitKey(OTHER));

        assertThat(claimedIds()).containsExactly("moved");
        resume();
        assertThat(claimedIds()).containsExactly("again");
        assertThat(rows.under("limited", "index")).isEmpty();
        assertThat(info().taken()).isEqualTo(1);
    }

    @Test
    void jobsWithASlotCanBeChangedBeforeAClaimFindsThem() {
        addAll("removed", "moved", "stays");
        pause();

        assertThat(await(timed.remove(database, INDEX, "removed"))).isTrue();
        add(job("moved").limitKey(OTHER));
        assertThat(info().taken()).isEqualTo(1);

        assertThat(claimedIds()).containsExactly("moved");
        assertThat(info().taken()).isZero();
        resume();
        assertThat(claimedIds()).containsExactly("stays");
    }

    @Test
    void aJobEndsAtItsDeadline() {
        add(job("with-slot").startBefore(NOON.plusSeconds(60)));
        pause();
        add(job("waits").startBefore(NOON.plusSeconds(60)));
        clock.advance(Duration.ofMinutes(2));

        assertThat(claim()).isEmpty();

        assertThat(await(timed.getJob(database, INDEX, "with-slot"))
                        .orElseThrow()
                        .outcome())
                .contains(Outcome.EXPIRED);
        assertThat(info().taken()).isZero();
    }

    @Test
    void jobsWithTurnKeysGoBackAndOthersTakeTheirTurns() {
        addAll("a", "b");
        add(job("turn-1").turnKey("t1"));
        add(job("turn-2").turnKey("t1"));
        add(other("turn-3").turnKey("t1"));
        add(plain("turn-4").turnKey("t2"));
        pause();

        assertThat(claimedIds()).containsExactlyInAnyOrder("turn-3", "turn-4");
        assertThat(info().taken()).isZero();
        resume();
        assertThat(claimedIds()).containsExactlyInAnyOrder("a", "b", "turn-1", "turn-2");
    }

    @Test
    void theCurrentJobOfASequenceWaitsAndHoldsBackTheOthers() {
        add(job("first").sequence("order"));
        add(plain("second").sequence("order"));
        pause();
        assertThat(claim()).isEmpty();

        resume();

        Job<WorkData> first = claim().orElseThrow();
        assertThat(first.id()).isEqualTo("first");
        finish(first);
        assertThat(claimedIds()).containsExactly("second");
    }

    @Test
    void thePauseComposesWithTheRulesOfTheType() {
        await(timed.limits().setTotal(database, INDEX, 1));
        await(timed.limits().setRate(database, INDEX, Rate.perWindow(100, Duration.ofHours(1))));
        addAll("a", "b");
        add(plain("c"));
        pause();
        await(timed.types().pause(database, INDEX, "deploying"));
        assertThat(claim()).isEmpty();
        await(timed.types().resume(database, INDEX));

        Job<WorkData> running = claim().orElseThrow();
        assertThat(running.id()).isEqualTo("c");
        await(timed.limits().clearRate(database, INDEX));
        resume();
        assertThat(claim()).isEmpty();
        finish(running);
        assertThat(claimAll()).hasSize(1);
        assertThat(await(timed.limits().ofType(database, INDEX)).max()).hasValue(1);
    }

    // The verbs

    @Test
    void aKeyIsPausedAndResumedTwiceWithoutError() {
        addAll("a");
        pause();
        pause();
        assertThat(pausedKeys()).containsExactly(KEY);

        resume();
        resume();

        assertThat(pausedKeys()).isEmpty();
        assertThat(info().isPaused()).isFalse();
        assertThat(claimedIds()).containsExactly("a");
        assertThat(rows.isThere("rules", "index")).isFalse();
        assertThat(rows.isThere("limits", "index", KEY)).isFalse();
        assertThat(rows.under("paused_keys", "index")).isEmpty();
    }

    @Test
    void severalKeysArePausedEachByItself() {
        addAll("a");
        add(other("b"));
        pause();
        await(timed.limits().pause(database, INDEX, OTHER));
        assertThat(claim()).isEmpty();

        resume();
        assertThat(claimedIds()).containsExactly("a");
        await(timed.limits().resume(database, INDEX, OTHER));
        assertThat(claimedIds()).containsExactly("b");
    }

    @Test
    void ofTwoResumptionsOfTheLastKeysOneSeesTheOther() {
        pause();
        await(timed.limits().pause(database, INDEX, OTHER));
        try (Transaction tx = database.createTransaction()) {
            await(timed.limits().resume(tx, INDEX, OTHER));
            resume();
            assertThat(failureOf(tx.commit())).hasMessageContaining("not committed");
        }

        await(timed.limits().resume(database, INDEX, OTHER));

        assertThat(rows.isThere("rules", "index")).isFalse();
    }

    @Test
    void thePausedKeysAreListedInPages() {
        IntStream.range(0, 5).forEach(i -> await(timed.limits().pause(database, INDEX, "key-" + i)));
        await(timed.limits().pause(database, MAIL, "other"));

        Page<String> first = await(timed.limits().pausedKeys(database, INDEX, PageRequest.of(3)));
        Page<String> second = await(timed.limits()
                .pausedKeys(
                        database, INDEX, PageRequest.of(3).after(first.next().orElseThrow())));
        PageRequest reversed = PageRequest.of(3).newestFirst();
        Page<String> last = await(timed.limits().pausedKeys(database, INDEX, reversed));
        Page<String> rest = await(timed.limits()
                .pausedKeys(database, INDEX, reversed.after(last.next().orElseThrow())));

        assertThat(first.items()).containsExactly("key-0", "key-1", "key-2");
        assertThat(second).isEqualTo(new Page<>(List.of("key-3", "key-4"), Optional.empty()));
        assertThat(last.items()).containsExactly("key-4", "key-3", "key-2");
        assertThat(rest.items()).containsExactly("key-1", "key-0");
        assertThatThrownBy(() -> timed.limits()
                        .pausedKeys(database, INDEX, PageRequest.of(3).after("elsewhere")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bothVerbsJoinTheCallersTransaction() {
        addAll("a");
        try (Transaction tx = database.createTransaction()) {
            await(timed.limits().pause(tx, INDEX, KEY));
        }
        assertThat(info().isPaused()).isFalse();

        commit(tx -> CompletableFuture.allOf(timed.limits().pause(tx, INDEX, KEY), timed.add(tx, job("b")))
                .join());
        assertThat(claim()).isEmpty();
        commit(tx -> timed.limits().resume(tx, INDEX, KEY).join());

        assertThat(claimedIds()).containsExactly("a", "b");
    }

    @Test
    void callsInOneTransactionThatAreNotAwaitedTakeEffectInOrder() {
        addAll("a");
        pause();

        commit(tx -> CompletableFuture.allOf(
                        timed.limits().resume(tx, INDEX, KEY),
                        timed.limits().set(tx, INDEX, KEY, 1),
                        timed.limits().pause(tx, INDEX, OTHER),
                        timed.limits().pause(tx, INDEX, KEY),
                        timed.limits().resume(tx, INDEX, OTHER))
                .join());
        assertThat(pausedKeys()).containsExactly(KEY);
        assertThat(claim()).isEmpty();
        assertThat(info().max()).hasValue(1);

        commit(tx -> CompletableFuture.allOf(
                        timed.limits().pause(tx, INDEX, OTHER),
                        timed.limits().resume(tx, INDEX, KEY),
                        timed.limits().resume(tx, INDEX, OTHER))
                .join());
        assertThat(claimedIds()).containsExactly("a");
        assertThat(rows.isThere("rules", "index")).isFalse();
    }

    @Test
    void aResumptionInATransactionLetsAllJobsBeClaimed() {
        await(timed.addAll(
                database, IntStream.range(0, 250).mapToObj(i -> job("job-" + i)).toList()));
        pause();
        assertThat(claim()).isEmpty();

        commit(tx -> timed.limits().resume(tx, INDEX, KEY).join());

        assertThat(claimAll()).hasSize(250);
    }

    @Test
    void invalidKeysAreRefused() {
        for (String key : List.of("", "x".repeat(20_000))) {
            assertThatThrownBy(() -> timed.limits().pause(database, INDEX, key))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("A limit key has 1 to 500 bytes");
            assertThatThrownBy(() -> timed.limits().resume(database, INDEX, key))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("A limit key has 1 to 500 bytes");
        }
        assertThatThrownBy(() -> timed.limits().set(database, INDEX, KEY, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("To hold jobs of a key back, pause the key");
    }

    @Test
    void theFirstPauseRaisesTheLayout() {
        pause();

        assertThat(rows.value("layout")).containsExactly(13L, 13L, 13L, "", "", "", 1L << 4 | 1L << 13);
    }

    // Damaged rows

    @Test
    void aDamagedLimitPausesNothing() {
        addAll("a", "b");
        pause();
        rows.putBytes(rows.key("limits", "index", KEY), new byte[] {0x7F});

        assertThat(claimedIds()).containsExactly("a", "b");
        resume();
        assertThat(pausedKeys()).isEmpty();
        assertThat(rows.isThere("rules", "index")).isFalse();
    }

    @Test
    void theResumptionOfATypeWithDamagedRulesKeepsThePausesOfKeys() {
        addAll("a");
        add(plain("b"));
        pause();
        rows.putBytes(rows.key("rules", "index"), new byte[] {1, 2});
        assertThat(claim()).isEmpty();

        await(timed.types().resume(database, INDEX));

        assertThat(claimedIds()).containsExactly("b");
        resume();
        assertThat(claimedIds()).containsExactly("a");
    }

    // Workers

    @Test
    void aWorkerRunsTheOthersAndAllAfterThePause() {
        List<String> ran = new ArrayList<>();
        ConcurrentHashMap<String, CompletableFuture<Void>> ended = new ConcurrentHashMap<>();
        pause();
        IntStream.range(0, 20).forEach(i -> {
            add(job("paused-" + i));
            add(other("other-" + i));
        });
        try (Worker worker = node().worker()
                .process(WORK, job -> {
                    synchronized (ran) {
                        ran.add(job.id());
                    }
                    ended.computeIfAbsent(job.id(), id -> new CompletableFuture<>())
                            .complete(null);
                })
                .concurrency(3)
                .start()) {
            assertThat(worker).isNotNull();
            IntStream.range(0, 20)
                    .forEach(i -> await(ended.computeIfAbsent("other-" + i, id -> new CompletableFuture<>())));
            synchronized (ran) {
                assertThat(ran).allMatch(id -> id.startsWith("other"));
            }
            resume();
            IntStream.range(0, 20)
                    .forEach(i -> await(ended.computeIfAbsent("paused-" + i, id -> new CompletableFuture<>())));
        }
        assertThat(ran).hasSize(40);
    }

    @Test
    void theEndOfAPauseMissesNoJobThatAClaimPutsBackMeanwhile() {
        addAll("a");
        pause();
        try (Transaction tx = database.createTransaction()) {
            await(tx.getReadVersion());
            await(timed.limits().resume(tx, INDEX, KEY));
            assertThat(claim()).isEmpty();
            assertThat(failureOf(tx.commit())).hasMessageContaining("not committed");
        }
        resume();

        assertThat(claimedIds()).containsExactly("a");
    }

    @Test
    void processesThatWaitClaimWhenThePauseEnds() {
        addAll("a", "b");
        pause();
        List<CompletableFuture<Optional<Job<WorkData>>>> waiting = IntStream.range(0, 2)
                .mapToObj(i -> node().processor().accept(INDEX))
                .toList();

        resume();

        assertThat(waiting.stream().map(accept -> await(accept).orElseThrow().id()))
                .containsExactlyInAnyOrder("a", "b");
    }
}
