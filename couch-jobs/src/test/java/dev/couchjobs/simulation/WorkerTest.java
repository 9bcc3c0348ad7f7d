package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A worker on one thread and in virtual time: heartbeats, lost jobs, closing, death, and what it costs to wait. */
class WorkerTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final Subspace ACTIVITY = new Subspace(Tuple.from("couch_jobs", "activity", "mail"));
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int COMMIT_UNKNOWN_RESULT = 1021;
    private static final int TRANSACTION_TIMED_OUT = 1031;
    private static final byte[] EFFECT = Tuple.from("effect").pack();

    private final Simulation simulation = Simulation.builder(7).calm().build();
    private final Database database = simulation.database();
    private final SimulatedProcess home = simulation.process("home");
    private final SimulatedProcess away = simulation.process("away");
    private final CouchJobs jobs = instance(home, home.database());
    private final CouchJobs others = instance(away, away.database());

    /** Jobs whose handlers have begun, and how each of them is to end. */
    private final Map<String, CompletableFuture<String>> ends = new LinkedHashMap<>();

    private final Map<String, JobContext<String>> begun = new LinkedHashMap<>();

    private static CouchJobs instance(SimulatedProcess process, Database database) {
        return CouchJobs.builder(database)
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    @BeforeEach
    void createType() {
        simulation.await(others.types().setTypeTimeout(database, MAIL, TIMEOUT));
        others.maintenance().monitor(MAIL);
    }

    @AfterEach
    void end() {
        simulation.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void anExecutorThatDropsTasksIsAskedAgain(int dropped) {
        List<Runnable> lost = new ArrayList<>();
        Executor dropping = task -> {
            if (lost.size() < dropped) {
                lost.add(task);
            } else {
                home.scheduler().execute(task);
            }
        };
        for (String id : List.of("a", "b")) {
            ends.put(id, CompletableFuture.completedFuture("done"));
            simulation.await(others.add(database, MAIL, id, "hello"));
        }
        worker(jobs, home).executor(dropping).concurrency(2).start();

        simulation.advance(Duration.ofMinutes(2));

        for (String id : List.of("a", "b")) {
            assertThat(simulation.await(others.getJobState(database, MAIL, id))).isEqualTo(JobState.FINISHED);
            assertThat(Objects.requireNonNull(begun.get(id)).attempt()).isEqualTo(1);
        }
    }

    private WorkerBuilder worker(CouchJobs of, SimulatedProcess process) {
        return of.worker()
                .handleAsync(MAIL, job -> {
                    begun.put(job.id(), job);
                    return ends.computeIfAbsent(job.id(), id -> new CompletableFuture<>());
                })
                .executor(process.scheduler());
    }

    private Worker started() {
        return worker(jobs, home).start();
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            simulation.await(others.add(database, MAIL, "j" + i, "data"));
        }
        simulation.advance(Duration.ofSeconds(1));
    }

    private JobContext<String> begun(String id) {
        return Objects.requireNonNull(begun.get(id), "has not begun");
    }

    private CompletableFuture<String> endOf(String id) {
        return Objects.requireNonNull(ends.get(id), "has not begun");
    }

    private JobState stateOf(String id) {
        return simulation.await(others.getJobState(database, MAIL, id));
    }

    private int activityRows() {
        return simulation
                .await(database.readAsync(tx -> tx.getRange(ACTIVITY.range()).asList()))
                .size();
    }

    @Test
    void jobsAreKeptAlsoIfTheTimeoutWasShortenedWhileTheWorkerHadNone() {
        started();
        add(1);
        endOf("j0").complete("sent");
        simulation.advance(TIMEOUT.multipliedBy(10));

        simulation.await(others.types().setTypeTimeout(database, MAIL, Duration.ofSeconds(1)));
        simulation.advance(TIMEOUT);
        simulation.await(others.add(database, MAIL, "later", "data"));
        simulation.advance(TIMEOUT);

        assertThat(begun("later").claim()).isEqualTo(1);
        assertThat(stateOf("later")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void jobsThatTakeLongAreKeptByHeartbeats() {
        started();
        add(10);

        simulation.advance(TIMEOUT.multipliedBy(10));
        assertThat(begun).hasSize(10).allSatisfy((id, job) -> {
            assertThat(job.claim()).isEqualTo(1);
            assertThat(job.isHalted()).isFalse();
        });

        ends.values().forEach(end -> end.complete("done"));
        simulation.advance(Duration.ofSeconds(1));
        assertThat(stateOf("j0")).isEqualTo(JobState.FINISHED);
        assertThat(stateOf("j9")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void moreJobsThanOneClaimTakesRunAtOnceIfThereIsRoomForThem() {
        for (int i = 0; i < 250; i++) {
            simulation.await(others.add(database, MAIL, "j" + i, "data"));
        }

        Executor laterThanTheNextClaim = task -> {
            var unused = home.scheduler().schedule(task, 10, TimeUnit.MILLISECONDS);
        };
        worker(jobs, home).concurrency(240).executor(laterThanTheNextClaim).start();
        simulation.advance(Duration.ofSeconds(1));

        assertThat(begun).hasSize(240);
    }

    @Test
    void jobsRenewedTogetherShareOneActivityRowWhichGoesWithTheLastOfThem() {
        started();
        add(10);
        simulation.advance(TIMEOUT.dividedBy(2));
        assertThat(activityRows()).isEqualTo(1);

        for (int i = 0; i < 9; i++) {
            endOf("j" + i).complete("done");
        }
        simulation.advance(Duration.ofSeconds(1));
        assertThat(activityRows()).isEqualTo(1);

        endOf("j9").complete("done");
        simulation.advance(Duration.ofSeconds(1));
        assertThat(activityRows()).isZero();
    }

    @Test
    void aRunRenewsTheLease() {
        started();
        add(1);
        for (int i = 0; i < 100; i++) {
            simulation.advance(TIMEOUT.dividedBy(10));
            simulation.await(begun("j0").runAsync(tx -> {
                tx.set(EFFECT, new byte[] {1});
                return CompletableFuture.completedFuture(tx);
            }));
        }

        assertThat(begun("j0").isHalted()).isFalse();
        assertThat(stateOf("j0")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void aJobThatIsRemovedHaltsItsHandlerAndNoOther() {
        started();
        add(3);
        simulation.await(others.remove(database, MAIL, "j1"));

        simulation.advance(TIMEOUT);

        assertThat(begun("j1").isHalted()).isTrue();
        assertThat(endOf("j1")).isCancelled();
        assertThat(begun("j0").isHalted()).isFalse();
        assertThat(begun("j2").isHalted()).isFalse();
    }

    @Test
    void aWorkerThatWasSuspendedHasEveryWriteRefusedAndIsHalted() {
        started();
        add(2);
        JobContext<String> mine = begun("j0");
        home.pause(TIMEOUT.multipliedBy(2));
        Job<String> theirs = simulation
                .await(others.processor().accept(MAIL, AcceptOptions.defaults()))
                .orElseThrow();
        assertThat(theirs.id()).startsWith("j");
        simulation.advance(TIMEOUT.multipliedBy(3));

        assertThat(mine.isHalted()).isTrue();
        CompletableFuture<Object> write = mine.runAsync(tx -> {
            tx.set(EFFECT, new byte[] {1});
            return CompletableFuture.completedFuture(tx);
        });
        assertThatThrownBy(() -> simulation.await(write)).hasCauseInstanceOf(JobHaltedException.class);
        CompletableFuture<String> finish = mine.finishAsync(tx -> {
            tx.set(EFFECT, new byte[] {1});
            return CompletableFuture.completedFuture("done");
        });
        assertThatThrownBy(() -> simulation.await(finish)).hasCauseInstanceOf(JobHaltedException.class);
        List<KeyValue> effects = simulation.await(
                database.readAsync(tx -> tx.getRange(Range.startsWith(EFFECT)).asList()));
        assertThat(effects).isEmpty();
    }

    @Test
    void theJobsOfAProcessThatDiesRunElsewhere() {
        started();
        add(5);
        assertThat(begun).hasSize(5);
        begun.clear();
        ends.clear();
        worker(others, away).start();

        home.kill();
        simulation.advance(TIMEOUT.multipliedBy(2));

        assertThat(begun).hasSize(5).allSatisfy((id, job) -> {
            assertThat(job.claim()).isEqualTo(2);
            assertThat(job.attempt()).isEqualTo(2);
        });
    }

    @Test
    void aJobThatKillsItsProcessesIsGivenUpAfterAllItsAttempts() {
        List<Long> claims = new ArrayList<>();
        simulation.await(others.add(database, MAIL, "deadly", "data"));
        for (int i = 0; i < 15; i++) {
            SimulatedProcess process = simulation.process("victim-" + i);
            instance(process, process.database())
                    .worker()
                    .handleAsync(MAIL.retry(MAIL.retry().attempts(3)), job -> {
                        claims.add(job.claim());
                        process.kill();
                        return new CompletableFuture<>();
                    })
                    .executor(process.scheduler())
                    .start();
            simulation.advance(TIMEOUT.multipliedBy(2));
        }

        assertThat(claims).containsExactly(1L, 2L, 3L);
        assertThat(stateOf("deadly")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aTimeoutThatIsMadeShorterWhileJobsRunIsKeptAtOnce() {
        simulation.await(others.types().setTypeTimeout(database, MAIL, Duration.ofHours(1)));
        started();
        add(3);
        simulation.await(others.types().setTypeTimeout(database, MAIL, Duration.ofSeconds(2)));

        simulation.advance(Duration.ofMinutes(5));

        assertThat(begun).allSatisfy((id, job) -> assertThat(job.isHalted()).isFalse());
        assertThat(stateOf("j0")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void whatWasClaimedAheadOfShortJobsIsLeftToOthersSoonWhenALongOneComes() {
        Worker greedy = worker(jobs, home).concurrency(1).start();
        for (int i = 0; i < 200; i++) {
            ends.put("j" + i, CompletableFuture.completedFuture("done"));
        }
        add(200);
        simulation.await(others.add(database, MAIL, "long", "data"));
        simulation.await(others.add(database, MAIL, "next", "data"));
        simulation.advance(Duration.ofMillis(500));

        assertThat(begun).containsKey("long").doesNotContainKey("next");
        assertThat(stateOf("next")).isEqualTo(JobState.PENDING);
        simulation.await(greedy.closeAsync());
    }

    @Test
    void whatTwoTypesClaimForOneSlotIsLeftToOthersAtOnce() {
        JobType<String, String> other = JobType.of("other", String.class, String.class);
        simulation.await(others.types().setTypeTimeout(database, other, TIMEOUT));
        worker(jobs, home)
                .handleAsync(other, job -> new CompletableFuture<>())
                .concurrency(1)
                .start();
        simulation.advance(Duration.ofSeconds(1));
        simulation.await(others.addAll(
                database,
                List.of(
                        NewJob.of(MAIL, "data").id("j0"),
                        NewJob.of(other, "data").id("j1"))));
        simulation.advance(Duration.ofSeconds(1));

        assertThat(List.of(stateOf("j0"), simulation.await(others.getJobState(database, other, "j1"))))
                .containsExactlyInAnyOrder(JobState.RUNNING, JobState.PENDING);
    }

    @Test
    void closingReleasesJobsThatDoNotEndInTime() {
        Worker worker =
                worker(jobs, home).shutdownTimeout(Duration.ofSeconds(5)).start();
        add(2);

        CompletableFuture<Void> closed = worker.closeAsync();
        simulation.advance(Duration.ofSeconds(1));
        endOf("j0").complete("done");
        simulation.advance(Duration.ofSeconds(3));
        assertThat(closed).isNotDone();
        assertThat(stateOf("j0")).isEqualTo(JobState.FINISHED);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);

        simulation.advance(Duration.ofSeconds(2));
        assertThat(closed).isCompleted();
        assertThat(begun("j1").isHalted()).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void closingTheInstanceEndsItsWorkersAtOnce() {
        started();
        add(2);

        jobs.close();
        simulation.advance(Duration.ofSeconds(1));

        assertThat(stateOf("j0")).isEqualTo(JobState.PENDING);
        assertThat(begun("j0").isHalted()).isTrue();
    }

    @Test
    void aHandlerThatTakesTooLongHasFailed() {
        Worker worker =
                worker(jobs, home).timeLimit(MAIL, Duration.ofMinutes(2)).start();
        add(1);
        JobContext<String> first = begun("j0");
        assertThat(first.deadline()).isPresent();
        simulation.advance(Duration.ofMinutes(2));

        assertThat(first.isHalted()).isTrue();
        assertThat(endOf("j0")).isCancelled();
        assertThat(stateOf("j0")).isNotEqualTo(JobState.FINISHED);
        simulation.await(worker.closeAsync());
    }

    @Test
    void anIdleWorkerOnlyWaits() {
        TransactionCountingDatabase counted = new TransactionCountingDatabase(home.database());
        CouchJobs idle = instance(home, counted.asDatabase());
        idle.worker()
                .handleAsync(MAIL, job -> CompletableFuture.completedFuture("done"))
                .executor(home.scheduler())
                .start();
        add(5);
        simulation.advance(TIMEOUT);
        int before = counted.transactions();

        simulation.advance(Duration.ofMinutes(10));

        // The activity monitor's: four looks in each timeout, each followed by a sweep, and now and then a trim.
        assertThat(counted.transactions() - before).isLessThanOrEqualTo(10 * 60 / 3);
    }

    @Test
    void closingDoesNotWaitForEverForADatabaseThatDoesNotAnswer() {
        AtomicBoolean silent = new AtomicBoolean();
        CouchJobs cutOff = instance(home, silencedBy(silent, home.database()));
        Worker worker =
                worker(cutOff, home).shutdownTimeout(Duration.ofSeconds(5)).start();
        simulation.advance(Duration.ofSeconds(1));
        silent.set(true);
        add(1);

        CompletableFuture<Void> closed = worker.closeAsync();
        simulation.advance(Duration.ofSeconds(30));

        assertThat(closed).isCompleted();
    }

    private static Database silencedBy(AtomicBoolean silent, Database target) {
        return DatabaseProxies.to(Database.class, (self, method, arguments) -> switch (method.getName()) {
            case "runAsync" -> silencedBy(silent, target, method, arguments);
            case "createTransaction" ->
                DatabaseProxies.committing(
                        (Transaction) Objects.requireNonNull(DatabaseProxies.invoke(target, method, arguments)),
                        (tx, commit, none) -> silencedBy(silent, tx, commit, none));
            default -> DatabaseProxies.invoke(target, method, arguments);
        });
    }

    private static @Nullable Object silencedBy(
            AtomicBoolean silent, Object target, Method method, @Nullable Object[] arguments) throws Throwable {
        return silent.get() ? new CompletableFuture<>() : DatabaseProxies.invoke(target, method, arguments);
    }

    @Test
    void aHandlerThatGoesOnLongAfterItsTimeIsUpOccupiesAStuckSlotUntilItReturns() {
        CompletableFuture<String> end = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                return false;
            }
        };
        Worker worker = jobs.worker()
                .handleAsync(MAIL, job -> end)
                .timeLimit(MAIL, Duration.ofMinutes(1))
                .executor(home.scheduler())
                .start();
        add(1);

        simulation.advance(Duration.ofSeconds(65));
        assertThat(worker.stuckSlots()).isZero();
        simulation.advance(Duration.ofSeconds(10));
        assertThat(worker.stuckSlots()).isEqualTo(1);

        end.complete("at last");
        simulation.advance(Duration.ofSeconds(1));
        assertThat(worker.stuckSlots()).isZero();
    }

    @Test
    void aHandlerThatSwallowsTheLossOfItsClaimOccupiesAStuckSlotUntilItReturns() {
        Worker worker = started();
        add(1);
        simulation.await(others.remove(database, MAIL, "j0"));
        CompletableFuture<Object> write = begun("j0").runAsync(CompletableFuture::completedFuture);
        assertThatThrownBy(() -> simulation.await(write)).hasCauseInstanceOf(JobHaltedException.class);

        simulation.advance(Duration.ofSeconds(9));
        assertThat(worker.stuckSlots()).isZero();
        simulation.advance(Duration.ofSeconds(2));
        assertThat(worker.stuckSlots()).isEqualTo(1);

        endOf("j0").complete("at last");
        simulation.advance(Duration.ofSeconds(1));
        assertThat(worker.stuckSlots()).isZero();
    }

    @Test
    void aHandlerThatLearnsSeveralTimesOfTheLossOfItsClaimOccupiesOneStuckSlot() {
        Worker worker = started();
        add(1);
        simulation.await(others.remove(database, MAIL, "j0"));
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Object> write = begun("j0").runAsync(CompletableFuture::completedFuture);
            assertThatThrownBy(() -> simulation.await(write)).hasCauseInstanceOf(JobHaltedException.class);
        }

        simulation.advance(Duration.ofSeconds(20));

        assertThat(worker.stuckSlots()).isEqualTo(1);
    }

    @Test
    void aHandlerThatReturnsAfterItsClaimWasLostIsHalted() {
        started();
        add(1);
        simulation.await(others.remove(database, MAIL, "j0"));

        endOf("j0").complete("too late");
        simulation.advance(Duration.ofSeconds(1));

        assertThat(begun("j0").isHalted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMIT_UNKNOWN_RESULT, TRANSACTION_TIMED_OUT})
    void aHandlerWhoseOutcomeWasWrittenByACommitThatFailedIsNotHalted(int code) {
        AtomicReference<@Nullable FDBException> failure = new AtomicReference<>();
        worker(instance(home, failingAfterCommit(failure, home.database())), home)
                .start();
        add(1);

        failure.set(new FDBException("injected", code));
        endOf("j0").complete("sent");
        simulation.advance(Duration.ofSeconds(10));

        assertThat(failure.get()).isNull();
        assertThat(stateOf("j0")).isEqualTo(JobState.FINISHED);
        assertThat(begun("j0").isHalted()).isFalse();
    }

    /** {@return a database whose next commit succeeds and then fails with an error} */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    private static Database failingAfterCommit(AtomicReference<@Nullable FDBException> failure, Database target) {
        return DatabaseProxies.to(
                Database.class,
                (self, method, arguments) -> method.getName().equals("createTransaction")
                        ? DatabaseProxies.committing(
                                (Transaction) Objects.requireNonNull(DatabaseProxies.invoke(target, method, arguments)),
                                (tx, commit, none) -> failingAfterCommit(failure, tx, commit, none))
                        : DatabaseProxies.invoke(target, method, arguments));
    }

    private static CompletableFuture<?> failingAfterCommit(
            AtomicReference<@Nullable FDBException> failure, Object tx, Method commit, @Nullable Object[] arguments)
            throws Throwable {
        CompletableFuture<?> committed =
                (CompletableFuture<?>) Objects.requireNonNull(DatabaseProxies.invoke(tx, commit, arguments));
        FDBException error = failure.getAndSet(null);
        return error == null ? committed : committed.thenCompose(done -> CompletableFuture.failedFuture(error));
    }
}
